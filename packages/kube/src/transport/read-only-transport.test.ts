import assert from "node:assert/strict";
import { test } from "node:test";
import { readOnlyTransport } from "./read-only-transport.ts";
import type { Transport } from "./transport.ts";

const signal = new AbortController().signal;

function sent(options?: { dryRuns: boolean }) {
  const seen: string[] = [];
  const transport: Transport = async ({ method, url }) => {
    seen.push(`${method} ${url}`);
    return { status: 200, headers: {}, body: "{}" };
  };
  const ask = async (method: string, url: string): Promise<number> => {
    const { status } = await readOnlyTransport(transport, options)({ method, url, headers: {}, signal });
    assert.equal(seen.length, status === 200 ? 1 : 0, "what is refused is not sent");
    seen.length = 0;
    return status;
  };
  return ask;
}

test("only what changes nothing is sent; all else is answered as a lacking right is", async () => {
  const ask = sent();
  for (const url of ["/api/v1/pods?watch=true", "/apis/apps/v1/namespaces/a/deployments/b"])
    assert.equal(await ask("GET", url), 200);
  assert.equal(await ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"), 200);
  for (const [method, url] of [
    ["POST", "/api/v1/namespaces/a/configmaps"],
    ["PUT", "/api/v1/namespaces/a/configmaps/b"],
    ["PATCH", "/api/v1/namespaces/a/configmaps/b?dryRun=All"],
    ["DELETE", "/api/v1/namespaces/a/configmaps/b"],
    ["DELETE", "/api/v1/namespaces/a/configmaps"],
    ["POST", "/api/v1/namespaces/a/serviceaccounts/b/token"],
    ["POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/../../../v1/x"],
    ["GET", "/api/v1/namespaces/a/pods/b/exec?command=sh"],
    ["GET", "/api/v1/namespaces/a/services/b/proxy/delete"],
    ["GET", "/api/v1/nodes/b/proxy"],
  ] as const)
    assert.equal(await ask(method, url), 403, `${method} ${url}`);
});

test("with dry runs, a change that is tried only is sent: no other, and no deletion", async () => {
  const ask = sent({ dryRuns: true });
  const url = "/api/v1/namespaces/a/configmaps/b";
  assert.equal(await ask("PATCH", `${url}?fieldManager=x&dryRun=All`), 200);
  for (const query of ["", "?dryRun=", "?dryRun=None", "?dryRun=All&dryRun=None", "?x=dryRun%3DAll"])
    assert.equal(await ask("PATCH", `${url}${query}`), 403, query);
  assert.equal(await ask("DELETE", `${url}?dryRun=All`), 403);
});
