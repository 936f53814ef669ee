import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const signal = () => AbortSignal.timeout(60_000);
const path = (name: string, setting?: string) =>
  `/api/v1/settings/texts/${name}${setting === undefined ? "" : `/${encodeURIComponent(setting)}`}`;
const notifications = "argocd-notifications-cm";

describe("settings that are written by the API", () => {
  let api: ApiWorld;
  before(async () => {
    api = await openApiWorld();
  });
  after(() => api[Symbol.asyncDispose]());

  const dataOf = async (name: string) => {
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name };
    return (await api.world.kube.get(ref, signal()))?.data;
  };
  const read = async (name: string) => {
    const { status, body } = await api.request("GET", path(name));
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(isRecord(body));
    return { version: String(body.resourceVersion), items: body.items };
  };
  const write = async (place: string, text: string, version?: string) => {
    const [name = "", setting] = place.split("/");
    const resourceVersion = version ?? (await read(name)).version;
    const answer = await api.request("PUT", path(name, setting), { body: { text, resourceVersion } });
    return { status: answer.status, told: JSON.stringify(answer.body) };
  };

  test("one at a time, as it will be read; the text of a service is given to nobody", async () => {
    const trigger = "- when: app.status.sync.status == 'Synced'\n  send: [said]\n";
    assert.deepEqual(await write(`${notifications}/trigger.on-synced`, trigger), {
      status: 200,
      told: '{"warnings":[]}',
    });
    const service = "url: https://chat.example.com\nheaders: [{name: Authorization, value: hidden-token}]\n";
    assert.equal((await write(`${notifications}/service.webhook.chat`, service)).status, 200);
    const { version, items } = await read(notifications);
    assert.deepEqual(items, [
      { setting: "service.webhook.chat" },
      { setting: "trigger.on-synced", text: trigger },
    ]);
    assert.deepEqual(await dataOf(notifications), {
      "service.webhook.chat": service,
      "trigger.on-synced": trigger,
    });
    const remove = () =>
      api.request("DELETE", `${path(notifications, "service.webhook.chat")}?resourceVersion=${version}`);
    assert.equal((await remove()).status, 200);
    assert.deepEqual(await dataOf(notifications), { "trigger.on-synced": trigger });
    assert.equal((await remove()).status, 409, "it is another one by now");
    assert.doesNotMatch(api.logged(), /hidden-token/);
    assert.match(api.logged(), /audit: 'writeSettingText'[^}]*setting: 'service.webhook.chat'/);
  });

  test("what may be said is told as schemas, of the shapes by which it is read", async () => {
    const told = async (name: string) => (await api.request("GET", path(name))).body;
    const body = await told(notifications);
    assert.ok(isRecord(body) && isRecord(body.schemas));
    const { schemas } = body;
    const names = (name: string): string[] => {
      const schema = schemas[name];
      const one = isRecord(schema) && isRecord(schema.items) ? schema.items : schema;
      return isRecord(one) && isRecord(one.properties) ? Object.keys(one.properties) : [];
    };
    assert.deepEqual(names("trigger."), ["when", "send", "oncePer", "description"]);
    assert.deepEqual(names("subscriptions"), ["recipients", "triggers", "selector"]);
    for (const part of ["message", "email", "slack", "webhook"]) assert.ok(names("template.").includes(part));
    assert.ok(names("service.slack").includes("token"));
    const general = await told("argocd-cm");
    assert.match(JSON.stringify(general), /"resource\.customizations\.ignoreDifferences\.":\{.*jsonPointers/);
    // What the schemas of these name is what is read: none of it is a problem.
    for (const [setting, text] of [
      ["trigger.whole", "- {when: 'true', send: [said], oncePer: app.metadata.name, description: all of it}"],
      ["subscriptions", "- {recipients: ['slack:x'], triggers: [whole], selector: 'a=b'}"],
      ["defaultTriggers.slack", "[whole]"],
      ["context", "{a: b}"],
    ] as const)
      assert.deepEqual(await write(`${notifications}/${setting}`, text), {
        status: 200,
        told: '{"warnings":[]}',
      });
  });

  test("what would not be read is refused with the reason, and nothing is written", async () => {
    for (const [setting, text, says] of [
      ["template.said", "message: '{{.app'", /template\.said: /],
      ["trigger.bad", "- when: app.status ===\n  send: [said]", /trigger\.bad: /],
      ["trigger.bad", "send: [", /trigger\.bad: /],
      ["service.carrier-pigeon", "{}", /there is no service carrier-pigeon/],
      ["subscriptions", "text", /subscriptions: /],
      ["context", " ", /context: is empty/],
    ] as const) {
      const { status, told } = await write(`${notifications}/${setting}`, text);
      assert.equal(status, 400, told);
      assert.match(told, says);
    }
    for (const [setting, text, says] of [
      ["ui.bannerurl", "javascript:alert(1)", /no address/],
      ["timeout.reconciliation", "soon", /is not a duration/],
      ["statusbadge.enabled", "perhaps", /is not true or false/],
      ["resource.customizations.ignoreDifferences.apps_Deployment", "[", /ignoreDifferences/],
    ] as const) {
      const { status, told } = await write(`argocd-cm/${setting}`, text);
      assert.equal(status, 400, `${setting}: ${told}`);
      assert.match(told, says);
    }
    assert.doesNotMatch(
      JSON.stringify([await dataOf(notifications), await dataOf("argocd-cm")]),
      /bad|alert/,
    );
  });

  test("what was changed meanwhile is not overwritten", async () => {
    const { version } = await read("argocd-cm");
    assert.equal((await write("argocd-cm/ui.bannercontent", "Hello", version)).status, 200);
    const { status, told } = await write("argocd-cm/ui.bannercontent", "Good bye", version);
    assert.equal(status, 409, told);
    assert.match(told, /was changed meanwhile/);
    const data = await dataOf("argocd-cm");
    assert.equal(isRecord(data) && data["ui.bannercontent"], "Hello");
  });

  test("of other settings and ConfigMaps nothing is written or told", async () => {
    for (const [name, setting] of [
      ["argocd-cm", "oidc.config"],
      ["argocd-cm", "admin.enabled"],
      ["argocd-cm", "accounts.eve"],
      ["argocd-cm", "exec.enabled"],
      ["argocd-cm", "help.download."],
      ["argocd-cm", "help.download.a b"],
      [notifications, "config.yaml"],
      [notifications, "__proto__"],
      ["argocd-rbac-cm", "policy.csv"],
      ["argocd-notifications-secret", "context"],
    ] as const) {
      const { status, told } = await write(`${name}/${setting}`, "x", "1");
      assert.equal(status, 400, told);
      assert.match(told, /change others in the cluster/);
    }
    const { body } = await api.request("GET", path("argocd-rbac-cm"));
    assert.match(JSON.stringify(body), /is none of argocd-notifications-cm, argocd-cm/);
  });
});
