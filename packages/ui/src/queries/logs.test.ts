import assert from "node:assert/strict";
import { test } from "node:test";
import { LastLines } from "./logs.ts";

const asked = {
  name: "web",
  appNamespace: "argocd",
  namespace: "web",
  podName: "a",
  follow: true,
  tailLines: 5,
};
const entry = (podName: string, timeStampStr: string, content: string) => ({
  podName,
  timeStampStr,
  content,
  last: false,
});

test("a log that goes on has no line twice and loses none, also of one instant and of another Pod", () => {
  const lines = new LastLines();
  const take = (pod: string, time: string, text: string) => lines.take(entry(pod, time, text))?.text;
  assert.equal("sinceTime" in lines.continued(asked), false);
  assert.equal(take("a", "2026-11-23T10:00:01.1Z", "one"), "one");
  assert.equal(take("a", "2026-11-23T10:00:01.25Z", "two"), "two");
  assert.equal(take("a", "2026-11-23T10:00:01.25Z", "two"), "two", "written twice at once");
  assert.equal(take("b", "2026-11-23T10:00:00.9Z", "early"), "early");
  assert.deepEqual(lines.continued({ ...asked }), {
    ...{ name: "web", appNamespace: "argocd", namespace: "web", podName: "a", follow: true },
    ...{ sinceTime: "2026-11-23T10:00:01Z", tailLines: 20_000 },
  });
  assert.equal(take("a", "2026-11-23T10:00:01.1Z", "one"), undefined);
  assert.equal(take("a", "2026-11-23T10:00:01.25Z", "two"), undefined);
  assert.equal(take("a", "2026-11-23T10:00:01.25Z", "two"), undefined);
  assert.equal(take("a", "2026-11-23T10:00:01.25Z", "three"), "three");
  assert.equal(take("a", "2026-11-23T10:00:01.3Z", "four"), "four");
  assert.equal(take("b", "2026-11-23T10:00:00.9Z", "early"), undefined);
  assert.equal(take("b", "2026-11-23T10:00:01.05Z", "late"), "late", "another Pod, behind the newest line");
});
