import assert from "node:assert/strict";
import { test } from "node:test";
import { serverOf } from "./server-lanes.ts";

test("a server is what stands before the path, however the address is written", () => {
  const servers: Record<string, string> = {
    "https://ada:pass@Git.Example:8443/shop/web.git": "git.example:8443",
    "git@git.example:shop/web": "git.example",
    "git.example:shop/web": "git.example",
    "ssh://git@git.example/shop": "git.example",
    "https://git.example": "git.example",
    "file:///repositories/web": "",
    "/repositories/web": "",
    " https://git.example?x=https://other ": "git.example",
    "oci://registry.example/charts@sha256:0": "registry.example",
  };
  for (const [address, server] of Object.entries(servers)) assert.equal(serverOf(address), server, address);
});
