import { tryRegexp } from "@capstan/formats/re2";
import { readImage } from "./image-name.ts";
import {
  type ImageRule,
  type PullSecret,
  type RequestHost,
  requestHosts,
  type TagFilter,
  type UpdateRules,
  type UpdateStrategy,
  type ValueNames,
  type WriteBack,
  type WriteTarget,
} from "./update-rules.ts";

/** Annotations of argocd-image-updater on Applications ("Configuring images for update", before v1 and in it). */
export const imageUpdatePrefix = "argocd-image-updater.argoproj.io/";

const strategies: Readonly<Record<string, UpdateStrategy>> = {
  semver: "semver",
  "newest-build": "newest-build",
  latest: "newest-build",
  alphabetical: "alphabetical",
  name: "alphabetical",
  digest: "digest",
};
const maxImages = 100;

type Annotations = Readonly<Record<string, string>>;

export function hasUpdateRules(annotations: Annotations = {}): boolean {
  return (annotations[`${imageUpdatePrefix}image-list`] ?? "").trim() !== "";
}

/** Nothing where an application names no images. */
export function readUpdateRules(annotations: Annotations = {}): UpdateRules | undefined {
  if (!hasUpdateRules(annotations)) return undefined;
  const at = (name: string) => (annotations[`${imageUpdatePrefix}${name}`] ?? "").trim();
  return readRules({ listed: listOf(at("image-list")), list: "image-list", at });
}

export interface WrittenRules {
  /** `ALIAS=NAME:CONSTRAINT`. */
  readonly listed: readonly string[];
  /** Where they stand, for people. */
  readonly list: string;
  /** The text of a setting as annotations call it; empty: none. */
  at(name: string): string;
}

/** The same rules, wherever they stand. */
export function readRules({ listed, list, at }: WrittenRules): UpdateRules {
  const problems: string[] = [];
  const images: ImageRule[] = [];
  if (listed.length > maxImages)
    problems.push(`${list} names ${listed.length} images: the first ${maxImages} are looked at`);
  for (const item of listed.slice(0, maxImages)) {
    const rule = readRule(item, { list, at });
    if (typeof rule === "string") problems.push(rule);
    else if (images.some(({ alias }) => alias === rule.alias))
      problems.push(`${list}: "${item}": another image has the alias ${rule.alias} already`);
    else images.push(rule);
  }
  const writeBack = readWriteBack(at);
  if (typeof writeBack !== "string") return { images, writeBack, problems };
  return { images, writeBack: undefined, problems: [...problems, writeBack] };
}

function readRule(item: string, { list, at }: Omit<WrittenRules, "listed">): ImageRule | string {
  const equals = item.indexOf("=");
  // A constraint may begin with one: an alias stands before the name, which has none.
  const hasAlias = equals > 0 && !/[:@]/.test(item.slice(0, equals));
  const image = readImage(hasAlias ? item.slice(equals + 1) : item);
  if (!image) return `${list}: "${item}" is no image: write ALIAS=NAME:CONSTRAINT`;
  const alias = hasAlias ? item.slice(0, equals).trim() : image.path.replaceAll("/", "_");
  if (!/^[\w.-]+$/.test(alias)) return `${list}: "${item}": an alias has letters, digits, ".", "_" and "-"`;
  const own = (name: string) => at(`${alias}.${name}`);
  const either = (name: string) => own(name) || at(name);
  const told = either("update-strategy").toLowerCase() || "semver";
  const strategy = strategies[told];
  const where = (name: string) => `${own(name) === "" ? "" : `${alias}.`}${name}`;
  if (strategy === undefined)
    return `${where("update-strategy")}: "${told}" is none of semver, newest-build, alphabetical and digest: ${alias} is not updated`;
  if (strategy === "digest" && image.tag === "")
    return `${alias}: the strategy digest follows one tag: name it in ${list} as ${alias}=${image.path}:TAG`;
  const secret = either("pull-secret");
  const pullSecret = secret === "" ? undefined : readPullSecret(secret);
  if (secret !== "" && pullSecret === undefined)
    return `${where("pull-secret")}: write pullsecret:NAMESPACE/NAME or secret:NAMESPACE/NAME#FIELD`;
  const namesOf = (tool: string) => {
    const value = (what: string) => own(`${tool}.image-${what}`);
    return { name: value("name"), tag: value("tag"), spec: value("spec") };
  };
  const [helm, plugin] = [namesOf("helm"), namesOf("plugin")];
  const kustomizeName = own("kustomize.image-name");
  const tools = [kustomizeName !== "", hasNames(helm), hasNames(plugin)].filter(Boolean);
  if (tools.length > 1)
    return `${alias}: helm.…, plugin.… and kustomize.image-name exclude each other: ${alias} is not updated`;
  return {
    alias,
    image,
    strategy,
    constraint: image.tag,
    allow: readFilter(either("allow-tags")),
    ignore: listOf(either("ignore-tags")),
    platforms: listOf(either("platforms")),
    pullSecret,
    forceUpdate: either("force-update") === "true",
    helm,
    plugin,
    kustomizeName,
  };
}

export function hasNames({ name, tag, spec }: ValueNames): boolean {
  return name !== "" || tag !== "" || spec !== "";
}

function readFilter(text: string): TagFilter {
  if (text === "" || text === "any") return { kind: "any" };
  const source = /^regexp:(.*)$/s.exec(text)?.[1];
  if (source === undefined)
    return { kind: "none", because: `allow-tags "${text}" is neither any nor regexp:EXPRESSION` };
  if (!tryRegexp(source))
    return { kind: "none", because: `allow-tags: "${source}" is no regular expression` };
  return { kind: "regexp", source };
}

export function readPullSecret(text: string): PullSecret | undefined {
  const [, kind = "", rest = ""] = /^(pullsecret|secret|env|ext):(.+)$/.exec(text.trim()) ?? [];
  if (kind === "env") return { kind, name: rest };
  if (kind === "ext") return { kind, program: rest };
  const [, namespace = "", name = "", field] = /^([a-z0-9-]+)\/([a-z0-9.-]+)(?:#(.+))?$/.exec(rest) ?? [];
  if (namespace === "") return undefined;
  if (kind === "pullsecret" && field === undefined) return { kind, namespace, name };
  return kind === "secret" && field !== undefined ? { kind, namespace, name, field } : undefined;
}

function readWriteBack(at: (name: string) => string): WriteBack | string {
  const method = at("write-back-method") || "argocd";
  if (method === "argocd") return { method };
  const [, from = ""] = /^git(?::(.*))?$/.exec(method) ?? [];
  if (!/^git(:|$)/.test(method))
    return `write-back-method: "${method}" is neither argocd nor git: nothing is written`;
  const secret = /^secret:(?:([a-z0-9-]+)\/)?([a-z0-9.-]+)$/.exec(from);
  if (from !== "" && from !== "repocreds" && !secret)
    return `write-back-method: "${method}": write git, git:repocreds or git:secret:NAMESPACE/NAME: nothing is written`;
  const target = readTarget(at("write-back-target"));
  if (typeof target === "string") return target;
  const [branch = "", pushBranch = ""] = splitBranch(at("git-branch"));
  const host = at("pull-request");
  if (host !== "" && !isRequestHost(host))
    return `pull-request: "${host}" is none of ${requestHosts.join(", ")}: nothing is written`;
  const labels = [...new Set(listOf(at("pull-request-labels")))];
  return {
    method: "git",
    credentials: secret ? { namespace: secret[1] ?? "", name: secret[2] ?? "" } : "repository",
    target,
    repository: at("git-repository"),
    branch,
    pushBranch,
    ...(isRequestHost(host) ? { request: { host, labels } } : {}),
  };
}

function isRequestHost(text: string): text is RequestHost {
  return requestHosts.some((one) => one === text);
}

/** `BRANCH`, `BRANCH:PUSHED`, `:PUSHED`: a template may hold colons. */
function splitBranch(text: string): [string, string] {
  const colon = text.indexOf(":");
  return colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
}

function readTarget(text: string): WriteTarget | string {
  if (text === "") return { kind: "override" };
  const [, kind, place = ""] = /^(kustomization|helmvalues)(?::(.*))?$/.exec(text) ?? [];
  if (kind === "kustomization") return { kind, folder: place };
  if (kind === "helmvalues") return { kind, file: place || "values.yaml" };
  return `write-back-target: "${text}" is neither kustomization nor helmvalues: nothing is written`;
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
