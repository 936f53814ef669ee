import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { realClock } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { runMain } from "./test-main.ts";

describe("capstan proj", () => {
  let api: ApiWorld;
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-proj-"));
    api = await openApiWorld();
    assert.equal((await proj("create", "web")).code, 0);
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  const run = (argv: readonly string[], env: Record<string, string> = {}) =>
    runMain(["proj", ...argv, "--server", api.url, "--auth-token", api.token], {
      home,
      env,
      clock: realClock,
    });
  const proj = (...argv: string[]) => run(argv);
  const spec = async () => JSON.parse((await proj("get", "web", "-o", "json")).out).spec;
  /** What a command says, and with which code it ends. */
  const said = async (...argv: string[]) => {
    const { code, out, err } = await proj(...argv);
    return [code, out + err];
  };

  test("policies of git repositories are listed, added, changed and deleted by their places", async () => {
    const policies = (...argv: string[]) => said("source-integrity", "git", "policies", ...argv);
    const none = [20, 'No source integrity git policies defined for project "web"\n'];
    assert.deepEqual(await policies("list", "web"), none);
    assert.deepEqual(await policies("delete", "web", "0", "-y"), none);
    assert.deepEqual(await policies("add", "web"), [1, "gpg-mode must be set\n"]);
    const key = "D56C4FCA57A46444";
    const table = (...rows: string[][]) => rows.map((row) => new RegExp(`^${row.join(" +")} *$`, "m"));
    const [code, text = ""] = await policies(
      "add",
      "web",
      "--repo-url",
      "https://a/*,!https://a/b",
      "--gpg-mode",
      "strict",
      "--gpg-key",
      key,
    );
    assert.equal(code, 0);
    for (const row of table(
      ["ID", "GPG-MODE", "GPG-KEYS", "REPO-URLS"],
      ["0", "strict", key, "https://a/\\*, !https://a/b"],
    ))
      assert.match(String(text), row);
    assert.match(
      String(text),
      new RegExp(`^Warning: Following GPG keys are not in repo-server keyring: ${key}$`, "m"),
    );
    assert.match(
      String((await policies("add", "web", "--gpg-mode", "none"))[1]),
      /no repository URLs and will never be used/,
    );
    assert.deepEqual(await policies("update", "web", "2"), [20, "POLICY_ID 2 is out of range (0-1)\n"]);
    assert.deepEqual(await policies("update", "web", "one"), [1, "Invalid POLICY_ID 'one'\n"]);
    assert.match(
      String((await policies("update", "web", "0", "--repo-url", "b", "--add-repo-url", "c"))[1]),
      /--repo-url, cannot be combined/,
    );
    assert.equal(
      (
        await policies(
          "update",
          "web",
          "0",
          "--delete-repo-url",
          "https://a/*",
          "--add-repo-url",
          "c",
          "--gpg-mode",
          "head",
        )
      )[0],
      0,
    );
    assert.deepEqual((await spec()).sourceIntegrity, {
      git: {
        policies: [
          { repos: [{ url: "!https://a/b" }, { url: "c" }], gpg: { mode: "head", keys: [key] } },
          { repos: [], gpg: { mode: "none", keys: [] } },
        ],
      },
    });
    assert.deepEqual(await policies("delete", "web", "1", "0", "-y"), [0, ""]);
    assert.equal((await spec()).sourceIntegrity, undefined);
  });

  test("lists grow and shrink, and say when there is nothing to do", async () => {
    const server = "https://kubernetes.default.svc";
    const pairs: [string[], string[], string, unknown][] = [
      [
        ["add-source", "web", "https://a/b"],
        ["remove-source", "web", "https://a/b"],
        "sourceRepos",
        ["https://a/b"],
      ],
      [
        ["add-destination", "web", server, "web"],
        ["remove-destination", "web", server, "web"],
        "destinations",
        [{ namespace: "web", server }],
      ],
      [
        ["add-destination", "web", "in-cluster", "web", "--name"],
        ["remove-destination", "web", "in-cluster", "web"],
        "destinations",
        [{ name: "in-cluster", namespace: "web" }],
      ],
      [
        ["add-source-namespace", "web", "team"],
        ["remove-source-namespace", "web", "team"],
        "sourceNamespaces",
        ["team"],
      ],
      [
        ["add-signature-key", "web", "4AEE18F83AFDEB23"],
        ["remove-signature-key", "web", "4AEE18F83AFDEB23"],
        "signatureKeys",
        [{ keyID: "4AEE18F83AFDEB23" }],
      ],
      [
        [
          "add-destination-service-account",
          "web",
          server,
          "web",
          "deployer",
          "--service-account-namespace",
          "ops",
        ],
        ["remove-destination-service-account", "web", server, "web", "ops:deployer"],
        "destinationServiceAccounts",
        [{ defaultServiceAccount: "ops:deployer", namespace: "web", server }],
      ],
    ];
    for (const [add, remove, field, value] of pairs) {
      assert.deepEqual(await said(...add), [0, ""], add.join(" "));
      assert.deepEqual((await spec())[field], value);
      const [, again] = await said(...add);
      assert.match(String(again), /already/, add.join(" "));
      assert.deepEqual(await said(...remove), [0, ""], remove.join(" "));
      assert.equal((await spec())[field], undefined);
      const [, gone] = await said(...remove);
      assert.match(String(gone), /does not exist|is not configured/, remove.join(" "));
    }
    assert.equal(
      (await proj("add-signature-key", "web", "none")).err,
      "'none' is not a valid GnuPG key ID\n",
    );
  });

  test("kinds are permitted and refused in argocd's words", async () => {
    const steps: [string[], string][] = [
      [["allow-cluster-resource", "", "Namespace"], "is added to allowed cluster resources"],
      [["allow-cluster-resource", "", "Namespace"], "already present in allowed cluster resources"],
      [["deny-cluster-resource", "", "Namespace"], "is removed from allowed cluster resources"],
      [["deny-cluster-resource", "", "Namespace", "-l", "deny"], "is added to denied cluster resources"],
      [["deny-namespace-resource", "", "Namespace"], "is added to denied namespaced resources"],
      [["allow-namespace-resource", "", "Namespace"], "is removed from denied namespaced resources"],
      [["allow-namespace-resource", "", "Namespace"], "not in denied namespaced resources"],
    ];
    for (const [[verb = "", ...rest], end] of steps)
      assert.deepEqual(await said(verb, "web", ...rest), [0, `Group '' and kind 'Namespace' ${end}\n`]);
    assert.deepEqual((await spec()).clusterResourceBlacklist, [{ group: "", kind: "Namespace" }]);
  });

  test("orphans of a kind are ignored", async () => {
    assert.equal((await proj("add-orphaned-ignore", "web", "apps", "Deployment", "--name", "x-*")).code, 0);
    assert.deepEqual((await spec()).orphanedResources, {
      ignore: [{ group: "apps", kind: "Deployment", name: "x-*" }],
    });
    assert.match((await proj("list")).out, /^web .* enabled \(warn=false, ignored 1\)/m);
    assert.equal((await proj("remove-orphaned-ignore", "web", "apps", "Deployment")).code, 1);
    assert.equal(
      (await proj("remove-orphaned-ignore", "web", "apps", "Deployment", "--name", "x-*")).code,
      0,
    );
  });

  test("set changes what its flags name", async () => {
    assert.deepEqual(
      await said("set", "web", "--description", "The shop", "-s", "https://a/b", "-s", "https://c/d"),
      [0, ""],
    );
    assert.equal((await proj("set", "web", "--orphaned-resources-warn")).code, 0);
    const { description, sourceRepos, orphanedResources } = await spec();
    assert.deepEqual([description, sourceRepos], ["The shop", ["https://a/b", "https://c/d"]]);
    assert.deepEqual(orphanedResources, { warn: true });
    assert.equal((await proj("set", "web", "--orphaned-resources=false")).code, 0);
    assert.equal((await spec()).orphanedResources, undefined);
    assert.equal((await proj("set", "web")).code, 1);
  });

  test("roles have policies and groups", async () => {
    assert.deepEqual(await said("role", "create", "web", "ci", "--description", "For pipelines"), [
      0,
      "Role 'ci' created\n",
    ]);
    assert.deepEqual(await said("role", "create", "web", "ci"), [0, "Role 'ci' already exists\n"]);
    assert.deepEqual(await said("role", "add-policy", "web", "ci", "-a", "sync", "-o", "*"), [0, ""]);
    assert.deepEqual(await said("role", "add-group", "web", "ci", "builders"), [
      0,
      "Group 'builders' added to role 'ci'\n",
    ]);
    assert.deepEqual(await said("role", "list", "web"), [
      0,
      "ROLE-NAME  DESCRIPTION\nci         For pipelines\n",
    ]);
    assert.deepEqual(await said("role", "get", "web", "ci"), [
      0,
      [
        "Role Name:     ci",
        "Description:   For pipelines",
        "Policies:",
        "p, proj:web:ci, projects, get, web, allow",
        "p, proj:web:ci, applications, sync, web/*, allow",
        "g, builders, proj:web:ci",
        "Groups:",
        "  - builders",
        "JWT Tokens:",
        "ID  ISSUED-AT  EXPIRES-AT",
        "",
      ].join("\n"),
    ]);
    assert.deepEqual(await said("role", "remove-policy", "web", "ci", "-a", "sync", "-o", "*"), [0, ""]);
    assert.deepEqual(await said("role", "remove-group", "web", "ci", "builders"), [
      0,
      "Group 'builders' removed from role 'ci'\n",
    ]);
    assert.deepEqual(await said("role", "delete", "web", "ci"), [0, "Role 'ci' deleted\n"]);
    assert.deepEqual(await said("role", "get", "web", "ci"), [
      20,
      "role 'ci' does not exist in project 'web'\n",
    ]);
  });

  test("windows are added, changed, listed with what they do now, and deleted", async () => {
    const add = ["windows", "add", "web", "--kind", "deny", "--duration", "1h", "--applications", "a-*,b"];
    assert.deepEqual(await said(...add, "--schedule", "* * * * *", "--time-zone", "Europe/Berlin"), [0, ""]);
    assert.equal((await proj(...add)).code, 1);
    assert.deepEqual(await said("windows", "enable-manual-sync", "web", "0"), [0, ""]);
    assert.deepEqual(await said("windows", "list", "web"), [
      0,
      [
        "ID  STATUS  KIND  SCHEDULE   DURATION  APPLICATIONS  NAMESPACES  CLUSTERS  MANUALSYNC  TIMEZONE       USEANDOPERATOR",
        "0   Active  deny  * * * * *  1h        a-*,b         -           -         Enabled     Europe/Berlin  Disabled",
        "",
      ].join("\n"),
    ]);
    assert.deepEqual(await said("windows", "update", "web", "0", "--duration", "2h"), [0, ""]);
    assert.equal((await spec()).syncWindows[0].duration, "2h");
    assert.equal((await proj("windows", "update", "web", "0")).code, 1);
    assert.deepEqual(await said("windows", "delete", "web", "3"), [20, "window with id '3' not found\n"]);
    assert.deepEqual(await said("windows", "delete", "web", "0"), [0, ""]);
  });

  test("an editor changes the specification", async () => {
    const editor = join(home, "editor.sh");
    await writeFile(editor, '#!/bin/sh\nsed -i "s/The shop/Edited/" "$1"\n');
    await chmod(editor, 0o755);
    assert.equal((await run(["edit", "web"], { EDITOR: editor })).out, "project 'web' changed\n");
    assert.equal((await spec()).description, "Edited");
  });

  test("get shows a project as argocd lays it out", async () => {
    const { out } = await proj("get", "web");
    assert.match(out, /^Name: {24}web\nDescription: {17}Edited\nDestinations: {16}<none>\n/);
    assert.match(
      out,
      /\nScoped Clusters: {13}<none>\n.*\nSignature keys: {14}<none>\nOrphaned Resources: {10}disabled\n$/s,
    );
  });

  test("the help of a group within a group lists its commands", async () => {
    assert.match(
      (await proj("windows", "--help")).out,
      /^Usage: capstan proj windows COMMAND\n\nCommands:\n {2}add +Add/,
    );
    assert.match((await proj("--help")).out, /\n {2}role +Roles of a project\n/);
  });
});
