import assert from "node:assert/strict";
import { test } from "node:test";
import { comparedBy, comparedByServer, idleCompareOptions } from "./compared-by.ts";

const app = (options?: string) => ({
  metadata: { name: "web", annotations: { "argocd.argoproj.io/compare-options": options ?? "" } },
});
const one = { serverSideDiff: false };
const all = { serverSideDiff: true };

test("the Application's annotation says by what it is compared, else the setting of all", () => {
  assert.equal(comparedBy(app(), one), "ownership");
  assert.equal(comparedBy(app(), all), "server");
  assert.equal(comparedBy(app("ServerSideDiff=true"), one), "server");
  assert.equal(comparedBy(app("IgnoreExtraneous, ServerSideDiff=false"), all), "ownership");
  assert.equal(comparedBy(app("ServerSideDiff=true,ServerSideDiff=false"), all), "ownership");
  assert.equal(comparedBy(app("ServerSideDiff = true"), one), "ownership");
});

test("what admission makes counts where that is said, and the server is asked", () => {
  const both = app("ServerSideDiff=true, IncludeMutationWebhook=true");
  const alone = app("IncludeMutationWebhook=true");
  assert.equal(comparedBy(both, one), "server and webhooks");
  assert.equal(comparedBy(alone, one), "ownership");
  assert.equal(comparedBy(alone, all), "server and webhooks");
  assert.equal(comparedByServer(alone), "server and webhooks");
  assert.equal(comparedByServer(app()), "server");
  assert.match(idleCompareOptions(alone, one).join(), /only with ServerSideDiff=true/);
  assert.deepEqual([idleCompareOptions(alone, all), idleCompareOptions(both, one)].flat(), []);
});
