import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type ApplicationView,
  type HostedRepository,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import type { ApiAnswer } from "@capstan/testkit/worlds";
import type { AttackWorld, Places } from "./attack.ts";
import { fineConfigMap } from "./config-maps.ts";

/** Content of a repository: a text, bytes, or a symbolic link. */
export type Content = string | Uint8Array | { readonly link: string };

/** An application of alice's, from a repository that she wrote. */
export interface Deployment {
  /** Of the repository `team-<name>`. */
  readonly files?: (at: Places) => Readonly<Record<string, Content>>;
  /** What files alone cannot say: raw git objects, submodules. */
  readonly prepare?: (repository: HostedRepository, world: AttackWorld) => Promise<void>;
  /** Fields of `spec.source` beside repoURL, path (`app`) and targetRevision. */
  readonly source?: (at: Places) => Readonly<Record<string, unknown>>;
  /** Further fields of the Application: metadata and spec are merged. */
  readonly application?: (at: Places) => { metadata?: object; spec?: object; [field: string]: unknown };
  /** refused: a condition or the operation says so. harmless: it syncs. either: it ends as one of them. */
  readonly ends: { readonly refused: RegExp } | { readonly harmless: true } | { readonly either: true };
  /** Objects that must not be there afterwards. */
  readonly absent?: readonly { apiVersion: string; kind: string; namespace?: string; name: string }[];
}

/** Longer than any limit of a render: what is still going on then has no end. */
const endLimitMs = 300_000;
const mostAsked = 5;

/** Plays it: makes the repository, creates the application as alice, waits for its end, looks for harm. */
export function deploys(name: string, deployment: Deployment): (world: AttackWorld) => Promise<void> {
  return async (world) => {
    const { at, capstan } = world;
    const repository = await makeRepository(world, name, deployment);
    const application = sketch(at, repository.url, { name, deployment });
    const created = await create(world, application);
    if (created.status !== 200) {
      const text = JSON.stringify(created.body);
      assert.ok(!("harmless" in deployment.ends), `${name} was refused: ${text}`);
      if ("refused" in deployment.ends) assert.match(text, deployment.ends.refused);
      return world.assertUnharmed([text]);
    }
    const view = await untilApplication(capstan.kube, name, { isSo: hasEnded, limitMs: endLimitMs });
    checkEnd(view, deployment);
    for (const { namespace, ...ref } of deployment.absent ?? []) {
      const found = await capstan.kube.get({ ...ref, namespace }, AbortSignal.timeout(60_000));
      assert.equal(found, undefined, `${ref.kind} ${namespace}/${ref.name} was made`);
    }
    await world.assertUnharmed([JSON.stringify(view), ...(await shown(world, name))]);
  };
}

/** An application of alice's that does no harm, and its repository. */
export async function deployFine(
  world: AttackWorld,
  name: string,
  source: Deployment["source"] = () => ({}),
): Promise<HostedRepository> {
  let repository: HostedRepository | undefined;
  await deploys(name, {
    files: () => ({ "app/a.yaml": fineConfigMap }),
    prepare: async (made) => {
      repository = made;
    },
    source,
    ends: { harmless: true },
  })(world);
  assert.ok(repository);
  return repository;
}

/** How often objects of the repository `team-<name>` were fetched. */
export function fetchesOf({ git }: AttackWorld, name: string): number {
  return git.requests.filter((line) => line.startsWith(`POST /team-${name}.git/`)).length;
}

/** Beside bombs, on a busy machine, the git server may take longer than Capstan waits for one: then it is asked again. */
async function create(world: AttackWorld, body: object): Promise<ApiAnswer> {
  const busy = /cannot reach repository .*: no answer within/;
  for (let more = mostAsked; ; more -= 1) {
    const answer = await world.ask("alice", "POST /api/v1/applications", { body });
    if (more === 0 || !busy.test(JSON.stringify(answer.body))) return answer;
  }
}

async function makeRepository(
  world: AttackWorld,
  name: string,
  { files, prepare }: Deployment,
): Promise<HostedRepository> {
  const repository = await world.git.createRepository(`team-${name}`, { "README.md": "an attack\n" });
  for (const [path, content] of Object.entries(files?.(world.at) ?? {}))
    await write(join(repository.dir, path), content);
  await repository.commit({}, "what the attacker wrote");
  await prepare?.(repository, world);
  return repository;
}

async function write(path: string, content: Content): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (typeof content === "object" && "link" in content) await symlink(content.link, path);
  else await writeFile(path, content);
}

interface Named {
  name: string;
  deployment: Deployment;
}

function sketch(at: Places, repoURL: string, { name, deployment }: Named) {
  const { metadata = {}, spec = {}, ...rest } = deployment.application?.(at) ?? {};
  const made = sketchApplication({
    name,
    repoURL,
    path: "app",
    project: "team",
    destination: { server: "https://kubernetes.default.svc", namespace: `team-${name}` },
    source: deployment.source?.(at) ?? {},
    // A failure is an end.
    syncPolicy: {
      automated: { prune: true, selfHeal: true },
      syncOptions: ["CreateNamespace=true"],
      retry: { limit: 0 },
    },
  });
  return {
    ...made,
    ...rest,
    metadata: { ...made.metadata, ...metadata },
    spec: { ...(made.spec as object), ...spec },
  };
}

const failed: ReadonlySet<string> = new Set(["Failed", "Error"]);

function hasEnded({ sync, phase, conditions }: ApplicationView): boolean {
  return sync === "Synced" || failed.has(phase) || conditions.some(({ type }) => type.endsWith("Error"));
}

function checkEnd(view: ApplicationView, { ends }: Deployment): void {
  if ("either" in ends) return;
  const said = [view.message, ...view.conditions.map(({ type, message }) => `${type}: ${message}`)].join(
    "\n",
  );
  if ("harmless" in ends) assert.equal(view.sync, "Synced", said);
  else assert.match(said, ends.refused);
}

const views = ["", "/manifests", "/managed-resources", "/resource-tree"];

/** What the application's owner sees of it. */
async function shown(world: AttackWorld, name: string): Promise<string[]> {
  const answers = views.map((view) => world.ask("alice", `GET /api/v1/applications/${name}${view}`));
  return (await Promise.all(answers)).map(({ body }) => JSON.stringify(body));
}
