"""The official Python SDK 2.x: the older revisions or 2026-07-28, over HTTP or with a process."""

import warnings
from contextlib import asynccontextmanager, nullcontext

import anyio
import mcp
import mcp_types as types
from mcp.client.stdio import StdioServerParameters
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from walk import ELICITED, SAMPLED, walk

# What the newest revision gives up is used here on purpose.
warnings.simplefilter("ignore")


class Client:
    def __init__(self, client):
        self.client = client
        self.version = client.protocol_version
        self.is_modern = self.version in MODERN_PROTOCOL_VERSIONS

    async def tools(self):
        found, cursor = [], None
        while True:
            page = await self.client.list_tools(cursor=cursor)
            found += page.tools
            if not (cursor := page.next_cursor):
                return found

    async def call(self, name, arguments, told):
        return await self.client.call_tool(name, arguments, progress_callback=told)

    async def cancel(self, scope):
        # To leave the call is to cancel it.
        scope.cancel()

    async def read(self, uri):
        return await self.client.read_resource(uri)

    async def prompt(self, name, arguments):
        return await self.client.get_prompt(name, arguments)

    async def complete(self, prompt, argument, value):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        return await self.client.complete(reference, {"name": argument, "value": value})

    def listening(self, method):
        match (method or "").split("/"):
            case ["notifications", kind, "list_changed"] if self.is_modern:
                return self.client.listen(**{f"{kind}_list_changed": True})
        return nullcontext()


@asynccontextmanager
async def connect(to, plan, ears):
    async def sample(_context, _params):
        ears.hear("sampling/createMessage")
        return types.CreateMessageResult.model_validate(SAMPLED)

    async def elicit(_context, _params):
        ears.hear("elicitation/create")
        return types.ElicitResult.model_validate(ELICITED)

    async def roots(_context):
        ears.hear("roots/list")
        return types.ListRootsResult.model_validate({"roots": plan["roots"]})

    async def hear(message):
        if method := getattr(message, "method", None):
            ears.hear(method)

    client = mcp.Client(
        to["url"] if "url" in to else StdioServerParameters(**to),
        mode=plan["mode"],
        sampling_callback=sample,
        elicitation_callback=elicit,
        list_roots_callback=roots,
        message_handler=hear,
        log_level="debug",
    )
    async with client:
        wrapped = Client(client)
        if not wrapped.is_modern and client.server_capabilities.logging:
            await client.set_logging_level("debug")
        yield wrapped


anyio.run(walk, connect)
