/** Shells in Pods by /terminal: the real argocd-server and Capstan, on one cluster with the same settings, say and refuse the same. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type EmbeddedClusterProcess,
  eventually,
  lackingArgoCD,
  type RealArgoCD,
  startArgoCD,
  startEmbeddedCluster,
} from "@capstan/testkit";
import { WebSocket } from "ws";
import { type AccountName, accountSettings, openOwn, tokensOfAccounts } from "./shared-accounts.ts";

const signal = () => AbortSignal.timeout(60_000);
const server = "https://kubernetes.default.svc";

const good = {
  pod: "web",
  container: "main",
  appName: "web",
  appNamespace: "argocd",
  projectName: "team",
  namespace: "team-a",
};

interface Asked {
  readonly who?: AccountName | null;
  readonly query?: Readonly<Record<string, string>>;
}

/** What is refused, or not: a request that asks for no websocket gets as far as one that does. */
const cases: Readonly<Record<string, Asked>> = {
  "no token": { who: null },
  "an account that may see the application alone": { who: "viewer" },
  "an account that may not see it": { who: "nobody" },
  "no Pod": { query: { pod: "" } },
  "no project": { query: { projectName: "" } },
  "a Pod that can be none": { query: { pod: "We_b" } },
  "a container that can be none": { query: { container: "a.b" } },
  "an application that can be none": { query: { appName: "../x" } },
  "a project that can be none": { query: { projectName: "Te_am" } },
  "a namespace that can be none": { query: { namespace: "a.b" } },
  "an application's namespace that can be none": { query: { appNamespace: "a.b" } },
  "an application's namespace that the operator does not permit": { query: { appNamespace: "team-a" } },
  "an application that is not there": { query: { appName: "absent" } },
  "a Pod of another application": { query: { pod: "other" } },
  "a Pod of nobody": { query: { pod: "alone" } },
  "a Pod that is not there": { query: { pod: "absent" } },
  "a Pod of another namespace": { query: { namespace: "team-b" } },
  "a container that is not there": { query: { container: "side" } },
};

describe("terminals beside the real argocd-server", { skip: lackingArgoCD() }, () => {
  const opened = new AsyncDisposableStack();
  let cluster: EmbeddedClusterProcess;
  let argo: RealArgoCD;
  let own: string;
  let tokens: ReadonlyMap<AccountName, string>;

  before(async () => {
    cluster = opened.use(await startEmbeddedCluster());
    const opening = await openOwn(cluster);
    own = opening.url;
    await fill();
    argo = opened.use(await startArgoCD(cluster, { hasLogin: true }));
    tokens = await tokensOfAccounts(opening);
    // argocd-server reads what the controller has found out of the tree.
    for (const url of [own, argo.url])
      await eventually(async () => ((await ask(url, {})).text.startsWith("Bad Request") ? true : undefined), {
        signal: signal(),
        describe: () => `${url} does not know the Pod`,
      });
  });
  after(() => opened.disposeAsync());

  const apply = (object: Parameters<EmbeddedClusterProcess["kube"]["apply"]>[0]) =>
    cluster.kube.apply(object, { fieldManager: "test", force: true, signal: signal() });

  async function fill(): Promise<void> {
    const map = (name: string, data: object) =>
      apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "argocd" }, data });
    await map("argocd-cm", {
      "exec.enabled": "true",
      "exec.shells": "nonsense,sh",
      ...accountSettings,
    });
    const policy = [
      "p, ada, applications, get, team/*, allow",
      "p, ada, exec, create, team/*, allow",
      "p, viewer, applications, get, team/*, allow",
      "p, nobody, exec, create, team/*, allow",
    ];
    await map("argocd-rbac-cm", { "policy.csv": policy.join("\n") });
    const meta = (name: string) => ({
      apiVersion: "argoproj.io/v1alpha1",
      metadata: { name, namespace: "argocd" },
    });
    const destinations = [{ server, namespace: "team-*" }];
    await apply({ ...meta("team"), kind: "AppProject", spec: { sourceRepos: ["*"], destinations } });
    for (const name of ["web", "second"]) {
      const source = { repoURL: "https://git.invalid/x", path: "." };
      const destination = { server, namespace: "team-a" };
      await apply({ ...meta(name), kind: "Application", spec: { project: "team", source, destination } });
    }
    await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } });
    for (const [name, app] of [
      ["web", "web"],
      ["other", "second"],
      ["alone", ""],
    ])
      await apply({
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: name ?? "",
          namespace: "team-a",
          annotations: app ? { "argocd.argoproj.io/tracking-id": `${app}:/Pod:team-a/${name}` } : {},
        },
        spec: { containers: [{ name: "main", image: "x" }] },
      });
  }

  function cookieOf(who: Asked["who"] = "ada"): Record<string, string> {
    return who === null ? {} : { cookie: `argocd.token=${tokens.get(who)}` };
  }

  async function ask(url: string, { who, query }: Asked): Promise<{ status: number; text: string }> {
    const search = new URLSearchParams({ ...good, ...query });
    const answer = await fetch(`${url}/terminal?${search}`, { headers: cookieOf(who), signal: signal() });
    return { status: answer.status, text: (await answer.text()).trim() };
  }

  for (const [name, asked] of Object.entries(cases))
    test(name, async () => {
      const [ours, theirs] = [await ask(own, asked), await ask(argo.url, asked)];
      assert.equal(ours.status, theirs.status, `${ours.text} / ${theirs.text}`);
      // A right that lacks is said with the moment of the token there.
      const plain = (text: string) => text.replace(/^rpc error: code = \w+ desc = |, iat: \S+$/g, "");
      assert.equal(plain(ours.text), plain(theirs.text));
    });

  test("a shell: what is typed, what comes back, and its end", async () => {
    const [ours, theirs] = [await converse(own, "sh"), await converse(argo.url, "sh")];
    assert.match(ours.text, /said-here/);
    assert.equal(ours.text, theirs.text);
    assert.deepEqual(ours.forms, theirs.forms);
  });

  // There what is typed first goes to the shell that was not there: its reader still waits for it.
  test("without a word which, the first shell that is there", async () => {
    assert.match((await converse(own, "")).text, /said-here/);
  });

  /** Types a line and leaves; all that came, and which fields messages have. */
  async function converse(url: string, shell: string): Promise<{ text: string; forms: string[] }> {
    const address = `${url.replace(/^http/, "ws")}/terminal?${new URLSearchParams({ ...good, shell })}`;
    const socket = new WebSocket(address, { headers: { ...cookieOf(), origin: url } });
    let [text, typed] = ["", 0];
    const forms = new Set<string>();
    const say = (message: object) => socket.send(JSON.stringify(message));
    socket.on("open", () => say({ operation: "resize", cols: 90, rows: 30 }));
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      forms.add(`${Object.keys(message)} ${message.operation} ${message.rows} ${message.cols}`);
      text += message.data;
      const lines = ["echo said-here", "exit"];
      if (text.split("simulated:# ").length - 1 > typed && lines[typed])
        say({ operation: "stdin", data: `${lines[typed++]}\r` });
    });
    await new Promise((resolve, reject) => {
      socket.once("close", resolve).once("error", (error) => reject(new Error(url, { cause: error })));
    });
    return { text, forms: [...forms] };
  }
});
