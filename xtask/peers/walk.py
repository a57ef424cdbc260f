"""Walks a plan with a client: the steps are data, so that every client takes the same ones.

Each step prints one line of JSON: what the client got, or why it got nothing.
"""

import json
import os
import subprocess
import sys
import traceback

import anyio

# Nothing here takes longer, unless it hangs; a machine under load is slow to start processes.
STEP_SECONDS = 60
HEAR_SECONDS = 20

SAMPLED = {"role": "assistant", "content": {"type": "text", "text": "a sample"}, "model": "a-model", "stopReason": "endTurn"}
ELICITED = {"action": "accept", "content": {"name": "A Name", "check": True, "integer": 7}}


class Ears:
    """What the server said or asked without being called."""

    def __init__(self):
        self.all = []
        self.changed = anyio.Event()

    def hear(self, method):
        self.all.append(method)
        self.changed.set()
        self.changed = anyio.Event()

    async def until(self, method, since):
        with anyio.fail_after(HEAR_SECONDS):
            while method not in self.all[since:]:
                await self.changed.wait()


def plain(model):
    """A result as it is written on the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def take(client, ears, step):
    """Takes one step and returns what came of it, once the client heard what it is to hear."""
    since, hears = len(ears.all), step.get("hears")
    async with client.listening(hears):
        got = await done(client, ears, step)
        if hears:
            await ears.until(hears, since)
    return got


async def done(client, ears, step):
    match step["do"]:
        case "tools":
            return [plain(tool) for tool in await client.tools()]
        case "until":
            return await listed(client, step["prefixes"])
        case "names":
            return await named(client, step["names"])
        case "read":
            return plain(await client.read(step["uri"]))
        case "prompt":
            return plain(await client.prompt(step["name"], step["arguments"]))
        case "complete":
            return plain(await client.complete(step["prompt"], step["argument"], step["value"]))
        case "call" if step.get("cancel"):
            return await cancelled(client, step)
        case "call":
            return await called(client, ears, step)
        case "refused":
            return await refused(client, step)
        case "write":
            return write(step["file"], step["text"])
        case "run":
            return await ran(step["command"], step.get("until", False))
    raise ValueError(f"no step is called {step['do']}")


async def listed(client, prefixes):
    """Asks for the tools until every server has one among them."""
    while True:
        names = [tool.name for tool in await client.tools()]
        if all(any(name.startswith(prefix) for name in names) for prefix in prefixes):
            return {}
        await anyio.sleep(0.5)


async def named(client, names):
    """Asks for the tools until they are these."""
    seen = None
    try:
        with anyio.fail_after(HEAR_SECONDS):
            while (seen := sorted(tool.name for tool in await client.tools())) != sorted(names):
                await anyio.sleep(0.05)
    except TimeoutError:
        raise TimeoutError(f"the tools are still {seen}") from None
    return seen


def write(file, text):
    """Whoever reads the file meanwhile sees the old text or the new one."""
    with open(f"{file}.new", "w", encoding="utf-8") as new:
        new.write(text)
    os.replace(f"{file}.new", file)
    return {}


async def ran(command, until):
    """What a person types beside the client; again until it is done, if what it is about may yet have to come."""
    while True:
        result = await anyio.run_process(command, check=False, stderr=subprocess.STDOUT)
        if result.returncode == 0 or not until:
            return {"code": result.returncode, "out": result.stdout.decode()}
        await anyio.sleep(0.05)


async def called(client, ears, step):
    progress, since = [], len(ears.all)

    async def told(done, total, _message):
        progress.append([done, total])

    result = await client.call(step["name"], step["arguments"], told if step.get("progress") else None)
    got = {"result": plain(result)}
    if step.get("progress"):
        # Some clients let the last one go when the answer comes with it.
        got["progress"] = progress[:2]
    if asks := step.get("asks"):
        got["asked"] = ears.all[since:].count(asks)
    return got


async def refused(client, step):
    """How a call is refused: by an error, or by a result that is one."""
    try:
        result = plain(await client.call(step["name"], step["arguments"], None))
    except Exception as error:
        return {"why": said(error)}
    if not result.get("isError"):
        raise AssertionError(f"it was called: {result}")
    return {"why": result}


async def cancelled(client, step):
    """Cancels a call once it has made progress."""
    is_under_way = anyio.Event()
    got = {"ended": "never"}

    async def told(_done, _total, _message):
        is_under_way.set()

    async def call(scope):
        with scope:
            await client.call(step["name"], step["arguments"], told)
            got["ended"] = "answered"

    async with anyio.create_task_group() as group:
        scope = anyio.CancelScope()
        group.start_soon(call, scope)
        await is_under_way.wait()
        await client.cancel(scope)
    if scope.cancelled_caught:
        got["ended"] = "cancelled"
    return got


async def walk(connect):
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    for connection in plan["connections"]:
        route, left = connection["route"], [{"step": "open"}, *connection["steps"], {"step": "end"}]
        try:
            ears = Ears()
            async with connect(connection["to"], plan, ears) as client:
                tell(route, left.pop(0), got={"version": client.version})
                while len(left) > 1:
                    with anyio.fail_after(STEP_SECONDS):
                        got = await take(client, ears, left[0])
                    tell(route, left.pop(0), got=got)
            tell(route, left.pop(0), got={})
        except BaseException as error:
            traceback.print_exception(error)
            for step in left:
                tell(route, step, error=said(error))


def said(error):
    """The first error of a group says more than the group does."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


def tell(route, step, **outcome):
    print(json.dumps({"route": route, "server": step.get("server", route), "step": step["step"], **outcome}), flush=True)
