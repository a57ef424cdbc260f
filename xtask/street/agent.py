"""The official Python SDK 1.x as an agent: a line of JSON says what to do, a line of JSON what came of it."""

import json
import sys

import anyio
from mcp import ClientSession, McpError, types
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl

# Nothing here takes longer, unless it hangs.
STEP_SECONDS = 60
SAMPLED = {"role": "assistant", "model": "street", "content": {"type": "text", "text": "I am only a script."}}
ROOTS = {"roots": [{"uri": "file:///home/jroe/street"}]}


class Agent:
    def __init__(self, plan):
        self.plan = plan
        self.answer = {"action": "decline"}
        self.asked = []

    def hears(self):
        """Callbacks, which say by being there that the agent can be asked."""
        if not self.plan["can_be_asked"]:
            return {}

        async def sample(_context, params):
            self.hear("sampling/createMessage", params)
            return types.CreateMessageResult.model_validate(SAMPLED)

        async def elicit(_context, params):
            self.hear("elicitation/create", params)
            return types.ElicitResult.model_validate(self.answer)

        async def roots(_context):
            self.hear("roots/list", None)
            return types.ListRootsResult.model_validate(ROOTS)

        return {"sampling_callback": sample, "elicitation_callback": elicit, "list_roots_callback": roots}

    def hear(self, method, params):
        self.asked.append({"method": method, "params": params and plain(params)})

    async def do(self, session, step):
        match step["do"]:
            case "open":
                return plain(await session.initialize())
            case "list":
                return await listed(session, step["kind"])
            case "call":
                result = await session.call_tool(step["name"], step["arguments"], meta=step["meta"])
                return plain(result)
            case "get_prompt":
                return plain(await session.get_prompt(step["name"], step["arguments"]))
            case "read":
                return plain(await session.read_resource(AnyUrl(step["uri"])))
            case "answer":
                self.answer = step["with"]
                return {}
        raise ValueError(f"no step is called {step['do']}")


def plain(model):
    """A result as it is written on the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def listed(session, kind):
    ask, member = {
        "tools": (session.list_tools, "tools"),
        "prompts": (session.list_prompts, "prompts"),
        "resources": (session.list_resources, "resources"),
        "resource_templates": (session.list_resource_templates, "resourceTemplates"),
    }[kind]
    found, cursor = [], None
    while True:
        page = await ask(params=types.PaginatedRequestParams(cursor=cursor))
        found += [plain(item) for item in getattr(page, member)]
        if not (cursor := page.nextCursor):
            return found


async def take(agent, session, step):
    try:
        with anyio.fail_after(STEP_SECONDS):
            return {"ok": await agent.do(session, step)}
    except McpError as error:
        return {"error": plain(error.error)}
    except Exception as error:
        return {"error": {"message": f"{type(error).__name__}: {error}"}}


async def main():
    agent = Agent(json.loads(sys.argv[1]))
    info = types.Implementation(name=agent.plan["name"], version="1")
    async with streamable_http_client(agent.plan["url"]) as (read, write, *_):
        async with ClientSession(read, write, client_info=info, **agent.hears()) as session:
            while line := await anyio.to_thread.run_sync(sys.stdin.readline):
                came = await take(agent, session, json.loads(line))
                print(json.dumps({**came, "asked": agent.asked}), flush=True)
                agent.asked.clear()


anyio.run(main)
