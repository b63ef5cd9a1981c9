"""Asks a deployed stack what its users will ask, and says what is wrong.

    smoke.py STACK            reads the stack's outputs with your AWS credentials
    smoke.py --url https://…  asks a host, without looking at AWS
    smoke.py --url http://127.0.0.1:8080 --no-edge   the same answers without a cache in front
"""

import argparse
import sys
import urllib.error
import urllib.request

TILE = "/tiles/{layer}/0/0/0.png"


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer to look at, not to follow."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def ask(url, method="GET", **headers):
    """Status, headers (by lower-case name) and body of one request; errors are answers too."""
    request = urllib.request.Request(url, method=method, headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        answer = OPENER.open(request, timeout=70)
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


def check_tile(checks, base, layer, edge):
    url = base + TILE.format(layer=layer)
    status, headers, body = ask(url, Origin="https://example.org")
    checks.that("a tile is a PNG", (status, headers.get("content-type"), body[:4]) == (200, "image/png", b"\x89PNG"), f"{status} {body[:200]!r}")
    checks.that("any page may read it", headers.get("access-control-allow-origin") == "*", headers.get("access-control-allow-origin"))
    checks.that("it says how long it may be kept", "max-age=" in headers.get("cache-control", ""), headers.get("cache-control"))
    tag = headers.get("etag")
    status, _, body = ask(url, If_None_Match=tag or "")
    checks.that("its ETag gives 304 without a body", tag and (status, body) == (304, b""), f"{status} {tag}")
    if edge:
        _, headers, _ = ask(base + TILE.format(layer=layer).replace("/0/0/0", "/00/0/000") + "?_=1")
        checks.that("another spelling of it is a hit", headers.get("x-cache", "").lower().startswith("hit"), headers.get("x-cache"))


def check_refusals(checks, base, layer, edge):
    status, headers, body = ask(f"{base}/tiles/{layer}/3/8/0.png", Origin="https://example.org")
    checks.that("a tile off the grid is 404", status == 404, status)
    checks.that("and any page may read why", headers.get("access-control-allow-origin") == "*" and b"detail" in body, body[:200])
    if edge:
        checks.that("answered at the edge", "functiongenerated" in headers.get("x-cache", "").lower(), headers.get("x-cache"))


def outputs_of(stack):
    """The outputs of a CloudFormation stack."""
    import boto3  # comes with the SAM CLI; not needed for --url

    described = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    return {one["OutputKey"]: one["OutputValue"] for one in described.get("Outputs", [])}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("stack", nargs="?")
    options.add_argument("--url")
    options.add_argument("--layer", default="sample")
    options.add_argument("--no-edge", action="store_true")
    options = options.parse_args()
    checks, function_url, base, layer = Checks(), None, options.url, options.layer
    if not base:
        outputs = outputs_of(options.stack)
        function_url = outputs.get("FunctionUrl")
        base, _, rest = outputs["TileUrlTemplate"].partition("/tiles/")
        layer = rest.split("/")[0]
    check_tile(checks, base.rstrip("/"), layer, not options.no_edge)
    check_refusals(checks, base.rstrip("/"), layer, not options.no_edge)
    if function_url:
        status, _, _ = ask(function_url)
        checks.that("the function URL is closed to all but CloudFront", status == 403, status)
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
