/** What could widen a right: lines of a project's roles, of policies, and names that are chosen for what they look like. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { isRecord } from "@capstan/formats";
import { eventually } from "@capstan/testkit";
import type { ApiAnswer } from "@capstan/testkit/worlds";
import type { Attack, AttackWorld, Who } from "../attack.ts";
import { roleToken, writeProject } from "../project-roles.ts";

const signal = () => AbortSignal.timeout(100_000);
const policyMap = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-rbac-cm" };

/** With a line in a key of its own, which is taken away again. */
async function withPolicy(
  world: AttackWorld,
  [key, line]: [string, string],
  play: () => Promise<void>,
): Promise<void> {
  const patch = (value: string | null) =>
    world.capstan.kube.patch(
      policyMap,
      { type: "merge", body: { data: { [key]: value } } },
      { signal: signal() },
    );
  await patch(line);
  try {
    await play();
  } finally {
    await patch(null);
  }
}

async function areRefused(world: AttackWorld, answers: readonly ApiAnswer[]): Promise<void> {
  const texts = answers.map(({ body }) => JSON.stringify(body));
  for (const [index, { status }] of answers.entries()) assert.equal(status, 403, texts[index] ?? "");
  await world.assertUnharmed(texts);
}

/** Asks until that is the answer. `question`: a resource, an action, an object. */
async function untilMay(
  world: AttackWorld,
  { token, question, answer }: { token: string | Who; question: string; answer: "yes" | "no" },
): Promise<void> {
  const line = `GET /api/v1/account/can-i/${question
    .split(" ")
    .map((word) => encodeURIComponent(word))
    .join("/")}`;
  await eventually(
    async () => {
      const { body } =
        token === "carol" ? await world.ask("carol", line) : await world.ask("nobody", line, { token });
      return (isRecord(body) && body.value === answer) || undefined;
    },
    { signal: signal(), describe: () => `${question}: the answer does not become ${answer}` },
  );
}

const notifications = "/api/v1/settings/texts/argocd-notifications-cm";
const service = `${notifications}/service.webhook.chat`;

/** As the admin sees them, who may write them. */
async function readSettings(world: AttackWorld): Promise<{ resourceVersion: string; told: string }> {
  const { status, body } = await world.ask("admin", `GET ${notifications}`);
  assert.ok(status === 200 && isRecord(body), JSON.stringify(body));
  return { resourceVersion: String(body.resourceVersion ?? ""), told: JSON.stringify(body) };
}

export const attacks: readonly Attack[] = [
  {
    id: "rbac/a-role-that-names-another-project",
    threat: "The lines of a project's role give rights on another project's objects, and on everything",
    heldBy: "roles of a project have a say about its own objects alone",
    play: async (world) => {
      const own = "p, proj:rbac-named:dev,";
      const policies = [`${own} applications, *, rival/*, allow`, `${own} *, *, *, allow`];
      await writeProject(world, "rbac-named", [{ name: "dev", policies }]);
      const token = await roleToken(world, "rbac-named");
      await areRefused(
        world,
        await Promise.all([
          world.ask("nobody", "GET /api/v1/projects/rival", { token }),
          world.ask("nobody", "GET /api/v1/applications/any?project=rival", { token }),
          world.ask("nobody", "DELETE /api/v1/applications/any?project=rival", { token }),
          world.ask("nobody", `GET ${"/api/v1/clusters/https%253A%252F%252Fkubernetes.default.svc"}`, {
            token,
          }),
        ]),
      );
    },
  },
  {
    id: "rbac/a-role-that-makes-administrators",
    threat: "A project's role holds memberships and lines for others: of its own account, of role:admin",
    heldBy: "a role's lines give rights to the role alone, however the project was written",
    play: async (world) => {
      const policies = [
        "g, alice, role:admin",
        "p, alice, projects, *, rbac-admins, allow",
        "p, proj:rbac-admins:dev, applications, get, rbac-admins/*, allow\ng, alice, role:admin",
      ];
      await writeProject(world, "rbac-admins", [{ name: "dev", policies }]);
      await roleToken(world, "rbac-admins");
      const project = { metadata: { name: "rbac-admins" }, spec: { sourceRepos: ["*"] } };
      await areRefused(
        world,
        await Promise.all([
          world.ask("alice", "GET /api/v1/projects/rbac-admins"),
          world.ask("alice", "PUT /api/v1/projects/rbac-admins", { body: { project } }),
          world.ask("alice", "DELETE /api/v1/applications/any?project=rbac-admins"),
        ]),
      );
    },
  },
  {
    id: "rbac/quotes-in-a-group",
    threat: "The group of a project's role closes its quote, or ends its line, and goes on with a membership",
    heldBy: "a group is one field, read by itself; it is never put into a text that is read again",
    play: async (world) => {
      const groups = [
        'x", role:admin',
        'x"\ng, alice, role:admin\ng, "y',
        "x\np, alice, projects, *, *, allow",
        "alice, role:admin",
      ];
      await writeProject(world, "rbac-quotes", [{ name: "dev", groups }]);
      await roleToken(world, "rbac-quotes");
      await areRefused(world, [
        await world.ask("alice", "GET /api/v1/projects/rbac-quotes"),
        await world.ask("alice", "DELETE /api/v1/projects/rbac-quotes"),
      ]);
    },
  },
  {
    id: "rbac/a-token-beyond-its-project",
    threat:
      "The operator's policy gives a project's role rights on every project, and its token uses them elsewhere",
    heldBy: "a token of a project is asked on that project's objects alone",
    play: async (world) => {
      await writeProject(world, "rbac-beyond", [{ name: "dev" }]);
      const token = await roleToken(world, "rbac-beyond");
      const lines =
        "p, proj:rbac-beyond:dev, applications, *, */*, allow\np, proj:rbac-beyond:dev, projects, *, *, allow";
      await withPolicy(world, ["policy.beyond.csv", lines], async () => {
        await untilMay(world, { token, question: "applications sync rbac-beyond/x", answer: "yes" });
        await areRefused(world, [
          await world.ask("nobody", "GET /api/v1/projects/rival", { token }),
          await world.ask("nobody", "DELETE /api/v1/projects/rival", { token }),
          await world.ask("nobody", "DELETE /api/v1/applications/any?project=rival", { token }),
        ]);
      });
    },
  },
  {
    id: "rbac/settings-of-the-installation",
    threat:
      "An account without the right, a project's token and a page of another site write settings, or read a service's text",
    heldBy:
      "settings are an administrator's, or whose a policy names them for; never a project token's; a service's text is given to nobody",
    play: async (world) => {
      await writeProject(world, "rbac-settings", [
        { name: "dev", policies: ["p, proj:rbac-settings:dev, settings, *, *, allow"] },
      ]);
      const token = await roleToken(world, "rbac-settings");
      const hidden = `url: https://chat.example/${randomUUID()}`;
      const before = await readSettings(world);
      const made = await world.ask("admin", `PUT ${service}`, {
        body: { text: hidden, resourceVersion: before.resourceVersion },
      });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      const { resourceVersion, told } = await readSettings(world);
      assert.ok(told.includes("service.webhook.chat") && !told.includes(hidden.slice(-36)), told);
      const own = "p, proj:rbac-settings:dev,";
      const lines = `${own} settings, *, *, allow\n${own} applications, *, */*, allow\ng, proj:rbac-settings:dev, role:admin`;
      await withPolicy(world, ["policy.settings.csv", lines], async () => {
        // The policy has been read when this line of it holds.
        await untilMay(world, { token, question: "applications get rbac-settings/x", answer: "yes" });
        await untilMay(world, { token, question: "settings update argocd-notifications-cm", answer: "no" });
        const body = { text: "url: https://evil.example", resourceVersion };
        const answers = [
          await world.ask("nobody", `GET ${notifications}`, { token }),
          await world.ask("nobody", `PUT ${service}`, { token, body }),
          await world.ask("carol", `GET ${notifications}`),
          await world.ask("alice", `PUT ${service}`, { body }),
          await world.ask("alice", `DELETE ${service}?resourceVersion=${resourceVersion}`),
          await world.ask("admin", `PUT ${service}`, { body, headers: { origin: "https://evil.example" } }),
        ];
        await areRefused(world, answers);
      });
      assert.equal((await readSettings(world)).resourceVersion, resourceVersion, "something was written");
    },
  },
  {
    id: "rbac/settings-that-let-somebody-in",
    threat: "Whoever may write settings writes a provider of identities, an account, a terminal or a policy",
    heldBy:
      "one list names what can be written: nothing that lets somebody in, starts a program or holds a key",
    play: async (world) => {
      const answers = await Promise.all(
        [
          ...[
            "argocd-cm/oidc.config",
            "argocd-cm/dex.config",
            "argocd-cm/admin.enabled",
            "argocd-cm/accounts.eve",
          ],
          ...["argocd-cm/exec.enabled", "argocd-cm/kustomize.path.v1", "argocd-cm/__proto__"],
          ...[
            "argocd-rbac-cm/policy.csv",
            "argocd-cmd-params-cm/server.insecure",
            "argocd-secret/admin.password",
          ],
          ...["plans/value", "..%2F..%2Frival-a%2Fconfigmaps%2Fplans/value"],
        ].map((place) =>
          world.ask("admin", `PUT /api/v1/settings/texts/${place}`, {
            body: { text: "x", resourceVersion: "" },
          }),
        ),
      );
      const texts = answers.map(({ body }) => JSON.stringify(body));
      for (const [index, { status }] of answers.entries()) assert.equal(status, 400, texts[index] ?? "");
      await world.assertUnharmed(texts);
    },
  },
  {
    id: "rbac/a-denial-with-a-typing-error",
    threat: "The line that denies an account something has a mistake in its effect or in its pattern",
    heldBy: "what a line that denies leaves open is denied",
    play: async (world) => {
      const given = "p, role:syncer, applications, override, team/denied, allow";
      const question = "applications override team/denied";
      const start = "p, role:syncer, applications, override,";
      for (const denial of [
        `${start} team/denied, Deny`,
        `${start} team/denied, denied`,
        `${start} team/[denied, deny`,
      ]) {
        await withPolicy(world, ["policy.typing.csv", given], () =>
          untilMay(world, { token: "carol", question, answer: "yes" }),
        );
        await withPolicy(world, ["policy.typing.csv", `${given}\n${denial}`], async () => {
          await untilMay(world, { token: "carol", question: "applications sync team/denied", answer: "yes" });
          await untilMay(world, { token: "carol", question, answer: "no" });
        });
      }
    },
  },
  {
    id: "rbac/patterns-without-end",
    threat: "A project's role has patterns over which a matcher that tries everything never ends",
    heldBy: "matching takes time in proportion to pattern and text; patterns that multiply are none",
    play: async (world) => {
      const policies = [`${"*a".repeat(200)}b`, "{a,b}".repeat(40), `{${"*a,".repeat(500)}b}*{a,b}d`].map(
        (pattern) => `p, proj:rbac-endless:dev, applications, get, "rbac-endless/${pattern}", allow`,
      );
      await writeProject(world, "rbac-endless", [{ name: "dev", policies }]);
      const token = await roleToken(world, "rbac-endless");
      const question = `applications get rbac-endless/${"a".repeat(2000)}c`;
      for (let asked = 0; asked < 20; asked++) await untilMay(world, { token, question, answer: "no" });
    },
  },
];
