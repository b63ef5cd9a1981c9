"""A store that is far away: files by ranges over HTTP/1.1, each answer after a round trip, counted.

    store.py FOLDER PORT [--round-trip-ms 180] [--connections 32]

A connection carries nothing until a round trip after it was opened, as with TCP's handshake. Connections beyond
the limit wait, and the one that has been idle longest is closed for them. `/.counts` tells requests, connections and bytes since it was last asked.
"""

import argparse
import asyncio
import json
import pathlib
import re
import time

RANGE = re.compile(r"\nrange: bytes=(\d+)-(\d*)", re.IGNORECASE)
counts = {"requests": 0, "connections": 0, "bytes": 0}
# Writers of connections that wait for a request, the one that has waited longest first.
idle = {}
# Connections that wait for a place.
waiting = set()


async def serve(reader, writer, options, places):
    placed, opened = False, time.monotonic()
    try:
        while True:
            if placed:
                idle[id(writer)] = writer
                if places.locked() and waiting:
                    close_idle()
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            finally:
                idle.pop(id(writer), None)
            method, path, _ = head.split(" ", 2)
            if path == "/.counts":
                body = json.dumps(counts).encode()
                counts.update(requests=0, connections=0, bytes=0)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(body), body))
                return
            counts["requests"] += 1
            counts["connections"] += not placed
            if not placed:
                waiting.add(id(writer))
                if places.locked():
                    close_idle()
                await places.acquire()
                waiting.discard(id(writer))
                await asyncio.sleep(max(0, opened + options.round_trip_ms / 1000 - time.monotonic()))
                placed = True
            await asyncio.sleep(options.round_trip_ms / 1000)
            answer(writer, method, options.folder / path.lstrip("/").split("?")[0], RANGE.search(head))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        waiting.discard(id(writer))
        writer.close()
        if placed:
            places.release()


def close_idle():
    if idle:
        idle.pop(next(iter(idle))).close()


def answer(writer, method, path, wanted):
    if not path.is_file():
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        return
    size = path.stat().st_size
    first, last, status = 0, size - 1, "200 OK"
    if wanted:
        first, status = int(wanted[1]), "206 Partial Content"
        last = min(last, int(wanted[2])) if wanted[2] else last
    head = [f"HTTP/1.1 {status}", "Accept-Ranges: bytes", f'ETag: "{size:x}"', f"Content-Length: {last - first + 1}", "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT"]
    if wanted:
        head.append(f"Content-Range: bytes {first}-{last}/{size}")
    writer.write(("\r\n".join(head) + "\r\n\r\n").encode())
    if method != "HEAD":
        with path.open("rb") as file:
            file.seek(first)
            body = file.read(last - first + 1)
        counts["bytes"] += len(body)
        writer.write(body)


async def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("port", type=int)
    options.add_argument("--round-trip-ms", type=float, default=180)
    options.add_argument("--connections", type=int, default=32)
    options = options.parse_args()
    places = asyncio.Semaphore(options.connections)
    server = await asyncio.start_server(lambda reader, writer: serve(reader, writer, options, places), "127.0.0.1", options.port, limit=1 << 20)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
