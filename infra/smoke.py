"""Asks a deployed stack what its users will ask, and says what is wrong.

    smoke.py STACK            reads the stack's outputs with your AWS credentials
    smoke.py --url https://…  asks a host, without looking at AWS
    smoke.py --url http://127.0.0.1:8080 --no-edge          the same answers without an edge in front
    smoke.py STACK --via http://127.0.0.1:4566 --no-cache   a stack in an emulator that answers there by host name
"""

import argparse
import hashlib
import json
import math
import sys
import urllib.error
import urllib.parse
import urllib.request


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer to look at, not to follow."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


class Place:
    """Where to ask: a base URL, perhaps through another address that knows it by its host name."""

    def __init__(self, base, via=None):
        self.base, self.via = base.rstrip("/"), via

    def ask(self, path, posted=None, **headers):
        """Status, headers (by lower-case name) and body of one GET, or POST of what is posted; errors are answers too."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        url = self.base + path
        if self.via:
            headers.update({"Host": urllib.parse.urlsplit(url).netloc, "X-Forwarded-Proto": "https"})
            url = self.via.rstrip("/") + path
        if posted is not None:
            # CloudFront signs its requests to the function with it.
            headers |= {"Content-Type": "application/geo+json", "x-amz-content-sha256": hashlib.sha256(posted).hexdigest()}
        try:
            answer = OPENER.open(urllib.request.Request(url, posted, headers), timeout=70)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read()


class Checks:
    """Counts and prints what held and what did not."""

    def __init__(self):
        self.passed = self.failed = 0

    def that(self, what, holds, seen=""):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        print(f"{'ok  ' if holds else 'FAIL'} {what}" + (f" (saw {seen})" if seen and not holds else ""))


def tile_of(document):
    """A tile with data: the one in the middle of a TileJSON's bounds, at its lowest zoom (Slippy map tilenames)."""
    west, south, east, north = document["bounds"]
    zoom, lon, lat = document.get("minzoom", 0), (west + east) / 2, math.radians((south + north) / 2)
    row = (1 - math.asinh(math.tan(lat)) / math.pi) / 2
    return zoom, int((lon + 180) / 360 * 2**zoom), int(row * 2**zoom)


def check_document(checks, place, layer):
    """The TileJSON of a layer, or nothing."""
    status, headers, body = place.ask(f"/tiles/{layer}/tilejson.json")
    if status != 200 or "json" not in headers.get("content-type", ""):
        checks.that("TileJSON is there", False, f"{status} {body[:200]!r}")
        return None
    document = json.loads(body)
    checks.that("TileJSON names the host that was asked", document["tiles"][0].startswith(place.base + "/tiles/"), document["tiles"])
    return document


def check_tile(checks, place, path):
    """The entity tag of a tile."""
    status, headers, body = place.ask(path, Origin="https://example.org")
    checks.that("a tile is a PNG", (status, headers.get("content-type"), body[:4]) == (200, "image/png", b"\x89PNG"), f"{status} {body[:200]!r}")
    checks.that("any page may read it", headers.get("access-control-allow-origin") == "*", headers.get("access-control-allow-origin"))
    checks.that("it says how long it may be kept", "max-age=" in headers.get("cache-control", ""), headers.get("cache-control"))
    tag = headers.get("etag")
    status, _, body = place.ask(path, If_None_Match=tag or "")
    checks.that("its ETag gives 304 without a body", tag and (status, body) == (304, b""), f"{status} {tag}")
    return tag


def check_feature(checks, place, layer, document):
    """The middle ninth of the layer, by POST."""
    west, south, east, north = document["bounds"]
    across, down = (east - west) / 3, (north - south) / 3
    ring = [[west + across * x, south + down * y] for x, y in ((1, 1), (2, 1), (2, 2), (1, 2), (1, 1))]
    feature = {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    status, headers, body = place.ask(f"/tiles/{layer}/statistics?max_size=256", json.dumps(feature).encode())
    checks.that("a feature has its numbers", status == 200 and b'"statistics"' in body, f"{status} {body[:200]!r}")
    checks.that("which nobody keeps", headers.get("cache-control") == "no-store", headers.get("cache-control"))


def check_refusal(checks, place, layer):
    status, headers, body = place.ask(f"/tiles/{layer}/3/8/0.png", Origin="https://example.org")
    checks.that("a tile off the grid is 404", status == 404, status)
    checks.that("and any page may read why", headers.get("access-control-allow-origin") == "*" and b"detail" in body, body[:200])
    return headers


def check_edge(checks, place, spelling, tag, refused, cache):
    checks.that("which the edge says, not the function", "functiongenerated" in refused.get("x-cache", "").lower(), refused.get("x-cache"))
    status, headers, _ = place.ask(spelling)
    checks.that("another spelling is the same tile", (status, headers.get("etag")) == (200, tag), f"{status} {headers.get('etag')}")
    if cache:
        checks.that("and a hit", headers.get("x-cache", "").lower().startswith("hit"), headers.get("x-cache"))
    checks.that("TLS is asked of browsers for good", "max-age" in headers.get("strict-transport-security", ""), headers)


def outputs_of(stack):
    """The outputs of a CloudFormation stack."""
    import boto3  # comes with the SAM CLI; not needed for --url

    described = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    return {one["OutputKey"]: one["OutputValue"] for one in described.get("Outputs", [])}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("stack", nargs="?")
    options.add_argument("--url")
    options.add_argument("--layer", default="truecolour")
    options.add_argument("--via")
    options.add_argument("--no-edge", action="store_true")
    options.add_argument("--no-cache", action="store_true")
    options = options.parse_args()
    checks, base, layer, function_url = Checks(), options.url, options.layer, None
    if not base:
        outputs = outputs_of(options.stack)
        function_url = outputs["FunctionUrl"]
        base, _, rest = outputs["TileUrlTemplate"].partition("/tiles/")
        layer = rest.split("/")[0]
    place = Place(base, options.via)
    document = check_document(checks, place, layer)
    refused = check_refusal(checks, place, layer)
    if document:
        z, x, y = tile_of(document)
        tag = check_tile(checks, place, f"/tiles/{layer}/{z}/{x}/{y}.png")
        check_feature(checks, place, layer, document)
        if not options.no_edge:
            spelling = f"/tiles/{layer}/0{z}/00{x}/0{y}@1x.png?_=1&UTM_source=x"
            check_edge(checks, place, spelling, tag, refused, cache=not options.no_cache)
    if function_url and not options.via:
        status, _, _ = Place(function_url).ask("/")
        checks.that("the function URL is closed to all but CloudFront", status == 403, status)
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
