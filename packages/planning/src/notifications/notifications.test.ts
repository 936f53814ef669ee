import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RevisionMetadata, SourceDescription } from "@capstan/wire";
import type { NotificationSubject } from "./notification-variables.ts";
import { evaluateTrigger, printNotification } from "./print-notification.ts";
import { type NotificationSetup, readNotifications } from "./read-notifications.ts";
import { RepoFacts } from "./repo-facts.ts";

const { signal } = new AbortController();
const clock = { now: () => Date.parse("2024-05-06T07:08:09Z"), sleep: () => Promise.resolve() };
const services = { clock };

const app = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "a", namespace: "argocd" },
  spec: { project: "default", revisionHistoryLimit: 3, source: { repoURL: "https://h.example/o/n.git" } },
  status: { sync: { status: "Synced", revision: "abc" } },
};

interface Asked {
  readonly commit?: (revision: string) => Promise<RevisionMetadata>;
  readonly details?: () => Promise<SourceDescription>;
}

function subject({ commit, details }: Asked = {}): NotificationSubject {
  const refuse = () => Promise.reject(new Error("not asked"));
  const facts = new RepoFacts({
    commit: commit ?? refuse,
    details: async () => ({
      description: await (details ?? refuse)(),
      overrides: [{ name: "set", value: "override" }],
      fileParameters: [{ name: "f", path: "p" }],
    }),
  });
  return { app, appProject: undefined, facts, nowMs: clock.now };
}

const read = (
  map: Record<string, string>,
  secrets: Record<string, string> = {},
  previous?: NotificationSetup,
) => readNotifications({ map, secrets }, { services, tellsSecrets: true, previous });

const triggerOf = (when: string, oncePer = "") => ({
  "trigger.t": JSON.stringify([{ when, oncePer, send: ["x"] }]),
});

async function evaluated(when: string, oncePer?: string, asked?: Asked) {
  const setup = await read({ ...triggerOf(when, oncePer), context: "word: said" }, { word: "abc" });
  assert.deepEqual(setup.problems, []);
  const { results, problems } = await evaluateTrigger(setup, "t", { subject: subject(asked), signal });
  return { ...results[0], problems };
}

async function printed(message: string, asked?: Asked): Promise<string> {
  const setup = await read(
    { "template.x": JSON.stringify({ message }), context: "word: said" },
    { word: "abc" },
  );
  assert.deepEqual(setup.problems, []);
  const to = { service: "slack", recipient: "#r" };
  const notification = await printNotification(
    setup,
    { templates: ["x"], to },
    { subject: subject(asked), signal },
  );
  return notification.message ?? "";
}

describe("conditions of triggers", () => {
  const holding: readonly (readonly [when: string, holds: boolean])[] = [
    ["app.status.sync.status == 'Synced'", true],
    ["app.status.nothing?.x == nil", true],
    ["app.metadata.name", false],
    ["context.word == 'said' and context.notificationType == ''", true],
    ["len(secrets.word) == 3", true],
    ["time.Now().Sub(time.Parse('2024-05-06T07:07:09Z')) == time.Minute", true],
    ["time.Now().Format(time.Kitchen) == '7:08AM'", true],
    ["strings.ReplaceAll('a-b', '-', '+') == 'a+b'", true],
    ["repo.RepoURLToHTTPS('git@h:o/n.git') == 'https://h/o/n.git'", true],
  ];
  for (const [when, holds] of holding)
    test(`${when} is ${holds}`, async () => {
      const found = await evaluated(when);
      assert.deepEqual([found.holds, found.problems], [holds, []]);
    });

  test("what fails does not hold, and says of which condition it is", async () => {
    const { holds, problems } = await evaluated("app.metadata.name.x.y == 1");
    assert.equal(holds, false);
    assert.match(problems?.join() ?? "", /^condition 1: when: /);
  });

  test("oncePer is printed as Go prints it, also nothing", async () => {
    assert.equal(
      (await evaluated("true", "app.status.operationState?.syncResult?.revision")).oncePer,
      "<nil>",
    );
    assert.equal((await evaluated("true", "[1, 'a', nil]")).oncePer, "[1 a <nil>]");
    assert.equal((await evaluated("false", "1")).oncePer, "");
  });

  test("the key is the hash of the condition, as notifications-engine makes it", async () =>
    assert.equal((await evaluated("true")).key, "[0].X_5TO4MPCKAyY0ipFgr6_IraRNs"));

  test("a loop has an end", async () => {
    const { holds, problems } = await evaluated("all(1..1000000, all(1..1000000, # > 0))");
    assert.equal(holds, false);
    assert.match(problems?.join() ?? "", /too many steps|budget/);
  });
});

describe("templates", () => {
  const messages: readonly (readonly [template: string, message: string])[] = [
    ["{{.app.metadata.name | upper}} {{eq .app.spec.revisionHistoryLimit 3}}", "A true"],
    [
      "{{.serviceType}} {{.recipient}} {{.context.notificationType}} {{.context.word}}",
      "slack #r slack said",
    ],
    ["{{.secrets.word | toString}} {{.appProject}}", "abc map[]"],
    ["{{(call .time.Now).Format .time.RFC3339}}", "2024-05-06T07:08:09Z"],
    [
      "{{call .repo.FullNameByRepoURL .app.spec.source.repoURL}} {{call .repo.QueryEscape `a b&`}}",
      "o/n a+b%26",
    ],
  ];
  for (const [template, message] of messages)
    test(`${template} prints ${message}`, async () => assert.equal(await printed(template), message));

  const endings: readonly (readonly [template: string, problem: RegExp])[] = [
    ["{{range until 100000}}{{range until 100000}}{{end}}{{end}}", /takes more than|makes more than/],
    ['{{define "d"}}{{template "d"}}{{end}}{{template "d"}}', /exceeded|depth|nested|more than/],
    ["{{call .repo.GetCommitMetadata `x`}}", /error calling call: not asked/],
    ["{{call .time.Parse `x`}}", /error calling call: /],
  ];
  for (const [template, problem] of endings)
    test(`${template} ends with what is wrong`, () => assert.rejects(printed(template), problem));

  test("reads nothing of the process", async () => {
    const setup = await read({
      "template.x": '{message: "{{env `HOME`}}"}',
      "template.y": '{message: "{{expandenv `$HOME`}}"}',
    });
    assert.equal(setup.problems.length, 2);
    assert.match(setup.problems.join(), /template\.x: .*"env".*template\.y: .*"expandenv"/s);
  });
});

describe("facts of repositories", () => {
  const commit = async (revision: string) => ({
    author: `who of ${revision}`,
    date: "2024-01-02T03:04:05Z",
    message: "what",
    tags: ["v1"],
  });
  const details = async (): Promise<SourceDescription> => ({
    plugin: "helm",
    sourceType: "Helm",
    stages: [],
    helm: {
      valueFiles: ["values.yaml"],
      values: "",
      parameters: [
        { name: "set", value: "chart" },
        { name: "own", value: "1" },
      ],
    },
  });

  test("are fetched once for all that asks for them", async () => {
    let asked = 0;
    const counted = (revision: string) => {
      asked += 1;
      return commit(revision);
    };
    const template =
      "{{$c := call .repo.GetCommitMetadata `r`}}{{$c.Author}} {{$c.Message}} {{$c.Date.Year}} {{$c.Tags}} {{(call .repo.GetCommitMetadata `r`).Author}}";
    assert.equal(await printed(template, { commit: counted }), "who of r what 2024 [v1] who of r");
    assert.equal(asked, 1);
  });

  test("are there for conditions, too", async () => {
    const when =
      "repo.GetCommitMetadata(app.status.sync.revision).Author == 'who of abc' and repo.GetAppDetails().Type == 'Helm'";
    assert.deepEqual((await evaluated(when, "", { commit, details })).problems, []);
    assert.equal((await evaluated(when, "", { commit, details })).holds, true);
    assert.equal(
      (
        await evaluated("repo.GetAppDetails().Helm.GetParameterValueByName('set') == 'override'", "", {
          details,
        })
      ).holds,
      true,
    );
  });

  test("of a chart have methods", async () => {
    const template =
      "{{$h := (call .repo.GetAppDetails).Helm}}{{$h.GetParameterValueByName `set`}} {{$h.GetParameterValueByName `own`}} {{$h.GetFileParameterPathByName `f`}} {{range $h.HelmAppSpec.Parameters}}{{.Name}}={{.Value}} {{end}}";
    assert.equal(await printed(template, { details }), "override 1 p set=chart own=1 ");
  });

  test("that are asked for without end are refused", async () => {
    const template =
      "{{range $i := until 30}}{{(call $.repo.GetCommitMetadata (toString $i)).Author}}{{end}}";
    await assert.rejects(printed(template, { commit }), /more than 20 questions/);
  });
});

describe("a configuration that is edited", () => {
  test("keeps what a key said when it no longer says anything, and says so", async () => {
    const first = await read({ ...triggerOf("true"), "service.webhook.w": "url: http://h.example" });
    assert.deepEqual(first.problems, []);
    const broken = { "trigger.t": "- when: (", "service.webhook.w": "url: 'ftp://x'" };
    const second = await read(broken, {}, first);
    assert.ok(second.triggers.has("t") && second.services.has("w"));
    assert.equal(second.problems.length, 2);
    for (const problem of second.problems) assert.match(problem, /what it said before stays in force$/);
    const third = await read(broken, {}, second);
    assert.ok(third.triggers.has("t"));
    const fourth = await read({}, {}, third);
    assert.equal(fourth.triggers.size + fourth.services.size, 0);
    assert.equal((await read(broken)).triggers.size, 0);
  });

  test("opens a service anew only when its entry or a secret changes", async () => {
    const map = { "service.webhook.w": "url: http://h.example/$key", "template.a": "message: x" };
    const first = await read(map, { key: "1" });
    const same = await read({ ...map, "template.a": "message: y" }, { key: "1" }, first);
    assert.equal(same.services.get("w"), first.services.get("w"));
    const other = await read(map, { key: "2" }, first);
    assert.notEqual(other.services.get("w"), first.services.get("w"));
  });

  test("says which keys it does not know, which references lead nowhere, and nothing of secrets", async () => {
    const { problems } = await read(
      {
        "trigers.x": "",
        "config.yaml": "",
        "service.webhook.w": "url: http://h/$lost\nheaders: [{name: a, value: $key}]\nurls: 1",
      },
      { key: "very-secret", "notifiers.yaml": "x" },
    );
    const text = problems.join("\n");
    assert.match(text, /trigers\.x: is no setting of notifications/);
    assert.match(text, /config\.yaml: is not honoured/);
    assert.match(text, /service\.webhook\.w: \$lost is no key of argocd-notifications-secret/);
    assert.match(text, /notifiers\.yaml/);
    assert.ok(!text.includes("very-secret"));
  });
});
