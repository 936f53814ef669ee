import { createHash } from "node:crypto";
import {
  type ImagePlan,
  type ImageTool,
  imageSettings,
  imageSource,
  nameOf,
  permitSource,
  permitsNamespace,
  referenceOf,
  versionText,
  type WriteBack,
} from "@capstan/engine";
import { permittedRepository, repositoryFor, secretTexts } from "@capstan/kube";
import {
  type ApplicationSource,
  type AppProject,
  CapstanError,
  credentialFields,
  hasCredentials,
  instanceName,
  isGitSource,
  labelKeys,
  projectOf,
  type Repository,
  sourcesOf,
  withoutUserinfo,
} from "@capstan/model";
import { imageTexts, operatorLabel } from "@capstan/planning";
import type { FileEdit, FileWriteRequest } from "@capstan/wire";
import { findProject } from "../project/find-project.ts";
import { readSigningKey } from "./signing-key.ts";
import type { StoredApplication, UpdaterNeeds } from "./updater-needs.ts";

type GitWriteBack = Extract<WriteBack, { method: "git" }>;

/** argocd-image-updater lets whoever writes an Application write with what Argo CD reads with. */
const readCredentialsKey = "capstan.imageupdater.read.credentials";
/** argocd-image-updater: PRBranchTemplate. */
const requestBranch = "image-updater-{{.TargetKey}}-{{.SHA256}}";
const usualAuthor = { name: "argocd-image-updater", email: "noreply@argoproj.io" };

/** The commit that a plan's changes are; rejects with what is wrong with the way to it. */
export async function planGitWrite(
  needs: UpdaterNeeds,
  { app, plan, writeBack }: { app: StoredApplication; plan: ImagePlan; writeBack: GitWriteBack },
  signal: AbortSignal,
): Promise<FileWriteRequest> {
  const place = imageSource(app, writeBack);
  const source = place && sourcesOf(app)[place.index];
  if (!source) throw refused("the application has no source of which images are written to git");
  const project = requireProject(needs, app);
  const repoURL = writeBack.repository || source.repoURL;
  if (!isGitSource({ ...source, ...(writeBack.repository ? { chart: "" } : {}), repoURL }))
    throw refused("its source is no git repository: name the one that is written by git-repository");
  const repository = await writableRepository(needs, { app, project, writeBack, repoURL }, signal);
  const { imageUpdater } = needs.settings.current;
  const author = {
    name: imageUpdater["git.user"] || usualAuthor.name,
    email: imageUpdater["git.email"] || usualAuthor.email,
  };
  const template = imageUpdater["git.commit-message-template"];
  const edits = editsOf(needs, { app, plan, writeBack, source, tool: place.tool });
  const texts = await imageTexts(app, plan.changes, {
    message: template,
    pushBranch: writeBack.pushBranch || (writeBack.request ? requestBranch : ""),
    targetKey: targetKey([repoURL, writeBack.branch, ...edits.map(placeOfEdit)]),
  });
  const isSigned = imageUpdater["git.commit-sign-off"] === "true";
  const signOff = isSigned ? `\n\nSigned-off-by: ${author.name} <${author.email}>\n` : "";
  const followed = writeBack.repository === "" ? (source.targetRevision ?? "") : "";
  return {
    repository,
    base: writeBack.branch || followed,
    branch: texts.pushBranch,
    edits,
    message: signOff === "" ? texts.message : `${texts.message.trimEnd()}${signOff}`,
    author,
    signing: await readSigningKey(needs, signal),
  };
}

/** Equal for applications that write the same images to the same place (WriteBackTargetKey of argocd-image-updater). */
function targetKey(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("|")).digest("hex").slice(0, 8);
}

function placeOfEdit(edit: FileEdit): string {
  return edit.kind === "kustomization" ? edit.folder : edit.file;
}

function requireProject(needs: UpdaterNeeds, app: StoredApplication): AppProject {
  const { settings, live, controlNamespace } = needs;
  const name = projectOf(app);
  const project = findProject({ settings, live, controlNamespace }, name);
  if (!project) throw refused(`its project ${name} does not exist`);
  const namespace = app.metadata.namespace ?? controlNamespace;
  if (permitsNamespace(project, namespace, controlNamespace)) return project;
  throw refused(`project ${name} takes no applications of namespace ${namespace}`);
}

/** The repository with what may write to it; the project permits it, or nothing is handed out. */
async function writableRepository(
  needs: UpdaterNeeds,
  asked: { app: StoredApplication; project: AppProject; writeBack: GitWriteBack; repoURL: string },
  signal: AbortSignal,
): Promise<Repository> {
  const { app, project, writeBack, repoURL } = asked;
  const { current } = needs.settings;
  const permitted = permitSource(project, { repoURL });
  if (writeBack.credentials !== "repository") {
    const texts = await ownSecret(needs, { app, ...writeBack.credentials }, signal);
    const given = credentialFields.filter((field) => texts[field]).map((field) => [field, texts[field]]);
    const bare = { repositories: [], credentialTemplates: [], trust: current.trust };
    return { ...repositoryFor(bare, repoURL), ...Object.fromEntries(given) };
  }
  const { writeRepositories: repositories, writeCredentialTemplates: credentialTemplates, trust } = current;
  const write = repositoryFor({ repositories, credentialTemplates, trust }, repoURL, permitted.project);
  if (hasCredentials(write)) return write;
  const readable = permittedRepository(current, permitted);
  if (!hasCredentials(readable) || current.params[readCredentialsKey] === "true") return readable;
  throw refused(
    `Capstan's credentials for ${withoutUserinfo(repoURL)} are for reading: give it some for writing (a Secret with the label ${labelKeys.secretType}: repository-write), name a Secret of the application's namespace (write-back-method git:secret:NAME), or let these write for all by ${readCredentialsKey}: "true" in argocd-cmd-params-cm`,
  );
}

/** As for registries: of the application's own namespace, and in the control namespace only what is marked. */
async function ownSecret(
  { client, controlNamespace }: UpdaterNeeds,
  { app, namespace: told, name }: { app: StoredApplication; namespace: string; name: string },
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const own = app.metadata.namespace ?? controlNamespace;
  const namespace = told || own;
  const shown = `write-back-method: Secret ${namespace}/${name}`;
  if (namespace !== own)
    throw refused(`${shown} is of another namespace: an application may name those of ${own} alone`);
  const secret = await client.get({ apiVersion: "v1", kind: "Secret", namespace, name }, signal);
  if (!secret) throw refused(`${shown} does not exist`);
  if (namespace === controlNamespace && secret.metadata.labels?.[operatorLabel] !== "true")
    throw refused(
      `${shown} is not for applications. The operator may allow it by the label ${operatorLabel}: "true"`,
    );
  return secretTexts(secret);
}

function editsOf(
  { controlNamespace }: UpdaterNeeds,
  given: {
    app: StoredApplication;
    plan: ImagePlan;
    writeBack: GitWriteBack;
    source: ApplicationSource;
    tool: ImageTool;
  },
): FileEdit[] {
  const { app, plan, writeBack, source, tool } = given;
  const { target } = writeBack;
  const { path = "" } = source;
  if (target.kind === "helmvalues")
    return [{ kind: "values", file: within(path, target.file), values: plan.changes.flatMap(valuesOf) }];
  if (target.kind === "kustomization") {
    const images = plan.changes.map(({ rule, to }) => ({
      name: rule.kustomizeName || nameOf(rule.image),
      newName: nameOf(rule.image),
      newTag: to.digest === "" ? to.tag : "",
      digest: to.digest,
    }));
    return [{ kind: "kustomization", folder: within(path, target.folder), images }];
  }
  const settings = plan.changes.flatMap((change) => {
    const { rule } = change;
    const names = [rule.kustomizeName || nameOf(rule.image)];
    return imageSettings(change, tool).map((setting) => ({ setting, names }));
  });
  const images = settings.flatMap(({ setting, names }) =>
    setting.kind === "kustomize" ? [{ image: setting.image, names }] : [],
  );
  const parameters = settings.flatMap(({ setting }) =>
    setting.kind === "helm" ? [{ name: setting.name, value: setting.value }] : [],
  );
  const env = settings.flatMap(({ setting }) =>
    setting.kind === "env" ? [{ name: setting.name, value: setting.value }] : [],
  );
  const file = `.argocd-source-${instanceName(app, controlNamespace)}.yaml`;
  return [{ kind: "source", file: within(path, file), images, parameters, env }];
}

function valuesOf({ rule, to }: ImagePlan["changes"][number]): { key: string; value: string }[] {
  const { name, tag, spec } = rule.helm;
  if (spec !== "") return [{ key: spec, value: referenceOf(rule.image, to) }];
  if (tag === "")
    throw refused(
      `${rule.alias}: say by helm.image-tag or helm.image-spec which value of the file is its tag`,
    );
  const named = name === "" ? [] : [{ key: name, value: nameOf(rule.image) }];
  return [...named, { key: tag, value: versionText(to) }];
}

/** With a slash in front: from the root of the repository. What leads out of it the repo server refuses. */
function within(folder: string, path: string): string {
  const whole = path.startsWith("/") ? path : `${folder}/${path}`;
  const parts: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

function refused(problem: string): CapstanError {
  return new CapstanError({ code: "FAILED_PRECONDITION", what: "write-back to git", problem });
}
