"""The official Python SDK 1.x: sessions, over HTTP or with a process."""

from contextlib import asynccontextmanager, nullcontext

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl
from walk import ELICITED, SAMPLED, walk


class Client:
    def __init__(self, session, version):
        self.session = session
        self.version = version

    async def tools(self):
        found, cursor = [], None
        while True:
            page = await self.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            found += page.tools
            if not (cursor := page.nextCursor):
                return found

    async def call(self, name, arguments, told):
        return await self.session.call_tool(name, arguments, progress_callback=told)

    async def cancel(self, scope):
        # This SDK cancels nothing by itself: the id of the latest request is the one before the next.
        request = self.session._request_id - 1
        params = types.CancelledNotificationParams(requestId=request, reason="tried")
        notification = types.CancelledNotification(params=params)
        await self.session.send_notification(types.ClientNotification(notification))
        scope.cancel()

    async def read(self, uri):
        return await self.session.read_resource(AnyUrl(uri))

    async def prompt(self, name, arguments):
        return await self.session.get_prompt(name, arguments)

    async def complete(self, prompt, argument, value):
        reference = types.PromptReference(type="ref/prompt", name=prompt)
        return await self.session.complete(reference, {"name": argument, "value": value})

    def listening(self, _method):
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
        if isinstance(message, types.ServerNotification):
            ears.hear(message.root.method)

    if "url" in to:
        transport = streamable_http_client(to["url"])
    else:
        transport = stdio_client(StdioServerParameters(**to))
    async with transport as (read, write, *_):
        session = ClientSession(
            read,
            write,
            sampling_callback=sample,
            elicitation_callback=elicit,
            list_roots_callback=roots,
            message_handler=hear,
        )
        async with session:
            opened = await session.initialize()
            if opened.capabilities.logging:
                await session.set_logging_level("debug")
            yield Client(session, opened.protocolVersion)


anyio.run(walk, connect)
