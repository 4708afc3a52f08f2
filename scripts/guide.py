#!/usr/bin/env python3
"""Tests flags, documents and prompts with the official Python client, in both protocol generations, on both transports.

usage: guide.py PATH_TO_TOOLCRIB    (requires: pip install 'mcp==2.*')
"""
import asyncio
import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

TOOLCRIB = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
passed = failed = 0


def expect(what, holds, got=None):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"guide: failed: {what}: {str(got)[:300]}", file=sys.stderr)


async def value(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    envelope = result.structured_content
    expect(f"{tool}: isError matches success", result.is_error == (not envelope["success"]), envelope)
    return envelope.get("value") or envelope


async def drive(label, client):
    async with client as c:
        names = {tool.name for tool in (await c.list_tools()).tools}
        flags = {f"guide_{verb}_{scope}_flag{'s' if verb == 'list' else ''}" for verb in ("set", "get", "list") for scope in ("project", "feature")}
        expect(f"{label}: lists the guide tools", flags | {"guide_get_content", "guide_example"} <= names, names)
        expect(f"{label}: lists no tools for operations, which it cannot have", "status" not in names, names)

        await value(c, "guide_set_feature_flag", name="depth", value="two")
        await value(c, "guide_set_project_flag", name="depth", value=["a", "b"])
        got = await value(c, "guide_get_project_flag", name="depth")
        expect(f"{label}: the project flag takes precedence", (got["value"], got["source"]) == (["a", "b"], "project"), got)
        await value(c, "guide_set_project_flag", name="depth", value=None)
        got = await value(c, "guide_get_project_flag", name="depth")
        expect(f"{label}: the global flag is the fallback", (got["value"], got["source"]) == ("two", "global"), got)
        bad = await value(c, "guide_set_feature_flag", name="depth", value=3)
        expect(f"{label}: a number is rejected", bad["error_type"] == "invalid_arguments", bad)

        result = await c.call_tool("guide_get_content", {"expression": "lang/python,style/writing,lang/rust"})
        text = "\n".join(part.text for part in result.content)
        order = [text.find(f"guide://{path}") for path in ("lang/python.md", "style/writing.md", "lang/rust.md")]
        expect(f"{label}: documents are in the requested order", -1 < order[0] < order[1] < order[2], text)
        two = await c.call_tool("guide_get_content", {"expression": "lang", "pattern": "python"})
        one = await c.call_tool("guide_get_content", {"expression": "lang/python"})
        expect(f"{label}: both forms return the same", two.structured_content == one.structured_content, two)

        uris = {str(resource.uri) for resource in (await c.list_resources()).resources}
        expect(f"{label}: documents are resources", "guide://lang/python.md" in uris, uris)
        read = await c.read_resource("guide://lang/python.md")
        expect(f"{label}: a document can be read", "ruff" in read.contents[0].text, read)
        prompts = {prompt.name for prompt in (await c.list_prompts()).prompts}
        expect(f"{label}: lists prompts", "review" in prompts, prompts)
        prompt = await c.get_prompt("review", {"arg1": "rust", "arg3": "--strict"})
        text = prompt.messages[0].content.text
        expect(f"{label}: a prompt calls a tool and accepts a missing argument", "guide://lang/rust.md" in text and "every deviation" in text, text)


async def main():
    scratch = tempfile.mkdtemp(prefix="guide-")
    crib = os.path.join(scratch, "crib")
    shutil.copytree(os.path.join(HERE, "../examples/guide"), crib)
    environment = {**os.environ, "XDG_STATE_HOME": os.path.join(scratch, "state"), "MCP_INCLUDE_EXAMPLE_TOOLS": "true"}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ["-C", crib, "--log-level", "off", "serve"]
    server = subprocess.Popen([TOOLCRIB, *arguments, "--http", f"127.0.0.1:{port}"], env=environment)
    try:
        while subprocess.call(["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}"], stderr=subprocess.DEVNULL):
            exited = server.poll() is not None
            assert not exited, "the server exited"
            time.sleep(0.05)
        with open(glob.glob(os.path.join(scratch, "state/toolcrib/cribs/*/http-token"))[0]) as file:
            headers = {"Authorization": f"Bearer {file.read()}"}
        for era in ("legacy", "2026-07-28"):
            http = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=create_mcp_http_client(headers=headers))
            stdio = StdioServerParameters(command=TOOLCRIB, args=arguments, env=environment)
            await drive(f"{era} http", Client(http, mode=era, read_timeout_seconds=20))
            await drive(f"{era} stdio", Client(stdio, mode=era, read_timeout_seconds=20))
    finally:
        server.kill()
        shutil.rmtree(scratch)
    print(f"guide: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


asyncio.run(main())
