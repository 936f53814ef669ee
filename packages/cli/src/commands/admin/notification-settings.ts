import { readFile, stat } from "node:fs/promises";
import { compareBytes } from "@capstan/formats";
import { type KubeClient, type NotificationTexts, secretTexts, textsIn } from "@capstan/kube";
import {
  argoApiVersion,
  isApplication,
  isManifest,
  type Manifest,
  parseYaml,
  parseYamlDocuments,
  projectOf,
  sourcesOf,
} from "@capstan/model";
import {
  type AppDetails,
  appDetails,
  isRefOnly,
  type NotificationSetup,
  type NotificationSubject,
  RepoFacts,
  readNotifications,
} from "@capstan/planning";
import type { RepoAppDetails } from "@capstan/wire";
import type { Api } from "../../api.ts";
import { ExitError, type Flags, type FlagValues } from "../../command.ts";
import type { Io } from "../../io.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { clusterFlags, type OpenCluster, openCluster } from "./open-cluster.ts";

/** Of Argo CD's repo server, which is not asked but through the API server: taken for the sake of scripts. */
const ofRepoServer = { kind: "string", help: "Without a meaning here", hidden: true } as const;

/** Where `admin notifications` finds what is set. */
export const notificationFlags = {
  ...clusterFlags,
  "config-map": {
    kind: "string",
    help: "File with argocd-notifications-cm, - = standard input",
    value: "FILE",
  },
  secret: {
    kind: "string",
    help: "File with argocd-notifications-secret, :empty = an empty one",
    value: "FILE",
  },
  "argocd-repo-server": ofRepoServer,
  "argocd-repo-server-plaintext": { ...ofRepoServer, kind: "boolean" },
  "argocd-repo-server-strict-tls": { ...ofRepoServer, kind: "boolean" },
} as const satisfies Flags;

type Values = FlagValues<typeof notificationFlags>;

const [mapName, secretName] = ["argocd-notifications-cm", "argocd-notifications-secret"];

/** The cluster is connected to when it is first asked. */
export interface NotificationWorld extends AsyncDisposable {
  readonly setup: NotificationSetup;
  /**
   * An Application from a file, or of the cluster by its name, as triggers and templates see it. `api`: who is asked of
   * its commits and its source, once they ask.
   */
  subject(name: string, api: () => Promise<Api>): Promise<NotificationSubject>;
}

export async function openNotifications(flags: Values, io: Io): Promise<NotificationWorld> {
  const opened = new AsyncDisposableStack();
  let cluster: Promise<OpenCluster> | undefined;
  const open = (): Promise<OpenCluster> => {
    cluster ??= openCluster(flags, io).then((one) => opened.use(one));
    return cluster;
  };
  try {
    const texts = await readTexts(flags, io, open);
    const services = { clock: io.clock, environment: io.env };
    const setup = await readNotifications(texts, { services, tellsSecrets: true });
    for (const problem of setup.problems) io.err(`warning: ${problem}\n`);
    return {
      setup,
      subject: (name, api) => findSubject(name, { open, io, api }),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

type Open = () => Promise<OpenCluster>;

async function readTexts(flags: Values, io: Io, open: Open): Promise<NotificationTexts> {
  const { "config-map": mapPath, secret: secretPath } = flags;
  const map = mapPath
    ? await readNamed(mapPath, { kind: "ConfigMap", name: mapName, io })
    : await fetchNamed(await open(), { kind: "ConfigMap", name: mapName, signal: io.signal });
  if (secretPath === ":empty") return { map: textsIn(map.data), secrets: {} };
  const secret = secretPath
    ? await readNamed(secretPath, { kind: "Secret", name: secretName, io })
    : await fetchNamed(await open(), { kind: "Secret", name: secretName, signal: io.signal });
  return { map: textsIn(map.data), secrets: { ...secretTexts(secret), ...textsIn(secret.stringData) } };
}

interface Named {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
}

async function readNamed(path: string, { kind, name, io }: Named & { readonly io: Io }): Promise<Manifest> {
  const text = path === "-" ? await io.readInput() : await readFile(path, "utf8");
  const found = parseYamlDocuments(text, { file: path })
    .map(({ value }) => value)
    .filter((one) => isManifest(one))
    .find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new ExitError(`file '${path}' does not have '/${kind}/${name}'`, 1);
  return found;
}

async function fetchNamed(
  { client, namespace }: { readonly client: KubeClient; readonly namespace: string },
  { kind, name, signal }: Named & { readonly signal: AbortSignal },
): Promise<Manifest> {
  const found = await client.get({ apiVersion: "v1", kind, namespace, name }, signal);
  if (!found) throw new ExitError(`${namespace} has no ${kind} ${name}`, 1);
  return found;
}

async function findSubject(
  name: string,
  { open, io, api }: { open: Open; io: Io; api: () => Promise<Api> },
): Promise<NotificationSubject> {
  const seen = (app: Manifest, appProject: Manifest | undefined): NotificationSubject => ({
    facts: factsOf(app, api),
    nowMs: () => io.clock.now(),
    app,
    appProject,
  });
  if (await isFile(name)) {
    const app = parseYaml(await readFile(name, "utf8"), { file: name });
    if (!isManifest(app)) throw new ExitError(`${name} holds no object`, 1);
    return seen(app, undefined);
  }
  const { client, namespace } = await open();
  const ref = { apiVersion: argoApiVersion, namespace };
  const app = await client.get({ ...ref, kind: "Application", name }, io.signal);
  if (!app) throw new ExitError(`there is no file and no Application ${name} in ${namespace}`, 1);
  const project = isApplication(app) ? projectOf(app) : "default";
  const appProject = await client.get({ ...ref, kind: "AppProject", name: project }, io.signal);
  return seen(app, appProject);
}

/** The server knows the repository and its credentials: what `repo` tells of a commit and of the source is asked of it. */
function factsOf(app: Manifest, api: () => Promise<Api>): RepoFacts {
  const { name = "", namespace: appNamespace = "" } = app.metadata;
  return new RepoFacts({
    commit: async (revision, signal) => {
      const asked = { name, revision, appNamespace };
      const {
        author = "",
        date = "",
        message = "",
        tags = [],
      } = await (await api()).call("getRevisionMetadata", asked, signal);
      return { author, date, message, tags: [...tags] };
    },
    details: async (signal) => {
      if (!isApplication(app)) throw new Error("the Application is not valid");
      const source = sourcesOf(app).find((one) => !isRefOnly(one));
      if (!source) throw new Error("the application has no source");
      const asked = { source, appName: `${appNamespace}/${name}`, appProject: projectOf(app) };
      const { repoURL } = source;
      const told = await (await api()).call("getRepositoryAppDetails", { repoURL, ...asked }, signal);
      return appDetails(source, descriptionOf(told));
    },
  });
}

function descriptionOf({ type, helm, kustomize }: RepoAppDetails): AppDetails["description"] {
  const chart = helm && {
    valueFiles: helm.valueFiles ?? [],
    parameters: helm.parameters ?? [],
    values: helm.values ?? "",
  };
  return {
    sourceType: type,
    ...(chart && { helm: chart }),
    ...(kustomize && { kustomize: { images: kustomize.images ?? [] } }),
  };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** All of them by name, or the one of a name. */
export function chosen<Value>(of: ReadonlyMap<string, Value>, name: string): (readonly [string, Value])[] {
  return [...of]
    .filter(([one]) => name === "" || one === name)
    .sort(([one], [other]) => compareBytes(one, other));
}

/** As `-o` says: whole, by name, or as a table. */
export async function printChosen(
  io: Pick<Io, "out">,
  format: string | undefined,
  {
    values,
    table,
  }: { readonly values: readonly (readonly [string, unknown])[]; readonly table: () => string },
): Promise<void> {
  if (isObjectFormat(format)) await printObject(io, format, Object.fromEntries(values));
  else io.out(format === "name" ? values.map(([name]) => `${name}\n`).join("") : table());
}
