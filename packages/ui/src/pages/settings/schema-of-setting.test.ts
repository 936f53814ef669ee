import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaOfSetting } from "./schema-of-setting.ts";

test("a setting's schema is that of its name, of its beginning, or of its service's type", () => {
  const schemas = {
    "template.": { title: "t" },
    "service.slack": { title: "s" },
    subscriptions: { title: "n" },
  };
  const titles = ["template.said", "service.slack", "service.slack.own", "subscriptions"].map((setting) =>
    schemaOfSetting(schemas, setting),
  );
  assert.deepEqual(titles, [{ title: "t" }, { title: "s" }, { title: "s" }, { title: "n" }]);
  for (const setting of ["service.slackless", "subscription", "template"])
    assert.equal(schemaOfSetting(schemas, setting), undefined, setting);
});
