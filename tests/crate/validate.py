"""Validates the RO-Crate in the folder CRATE by the profile Process Run Crate, without a network: validate.py CRATE CONTEXT CACHE

The validator fetches the JSON-LD context that a crate names. It is put into the validator's cache, in the folder CACHE, from the file
CONTEXT, and the validator runs offline. Whatever still opens a connection fails.
"""

import json
import socket
import sys

import requests
import urllib3
from requests_cache import CachedSession

crate, context, cache = sys.argv[1:]


class FromFile(requests.adapters.BaseAdapter):
    """Answers each request with the file."""

    def send(self, request, **_):
        headers = {"Content-Type": "application/ld+json"}
        body = urllib3.HTTPResponse(
            body=open(context, "rb"), status=200, headers=headers, preload_content=False, request_url=request.url
        )
        return requests.adapters.HTTPAdapter().build_response(request, body)

    def close(self):
        pass


def refuse(*_):
    raise OSError("a connection was opened, and validation needs none")


socket.socket.connect = socket.socket.connect_ex = refuse
with open(context, encoding="utf-8") as file:
    address = json.load(file)["@id"]
session = CachedSession(cache, backend="sqlite", expire_after=-1)
session.mount("https://", FromFile())
session.get(address).raise_for_status()
session.close()

from rocrate_validator.cli.main import cli  # noqa: E402

sys.argv = [
    "rocrate-validator", "validate", crate, "--profile-identifier", "process-run-crate-0.5", "--requirement-severity", "recommended",
    "--offline", "--cache-path", cache, "--output-format", "json", "--no-paging", "--verbose",
]
cli()
