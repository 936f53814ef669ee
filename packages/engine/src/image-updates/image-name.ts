/** The name of an image as it is written: `[HOST/]PATH[:TAG][@DIGEST]`. */
export interface ImageName {
  /** Host and port; empty: the default registry. */
  readonly host: string;
  readonly path: string;
  /** Of a rule: its constraint. Empty: none. */
  readonly tag: string;
  /** Empty: none. */
  readonly digest: string;
}

/** OCI distribution specification, "Pulling manifests". */
const pathText = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const hostText = /^[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d{1,5})?$/;
const maxLength = 255;

/** Nothing where it is no name of an image. What follows a colon is taken as it is: constraints stand there too. */
export function readImage(text: string): ImageName | undefined {
  const [before = "", digest = ""] = cut(text.trim(), text.indexOf("@"));
  // The colon of a port stands before the last slash.
  const [whole = "", tag = ""] = cut(before, before.indexOf(":", before.lastIndexOf("/") + 1));
  const first = whole.indexOf("/");
  const head = first < 0 ? "" : whole.slice(0, first);
  // Docker's rule: a first part with a dot, a port or the name localhost is a host.
  const isHost = /[.:]/.test(head) || head === "localhost";
  const [host, path] = isHost ? [head, whole.slice(first + 1)] : ["", whole];
  if (whole.length > maxLength || !pathText.test(path) || (host !== "" && !hostText.test(host)))
    return undefined;
  return { host, path, tag: tag.trim(), digest: digest.trim() };
}

function cut(text: string, at: number): [string, string] {
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

export const dockerHub = "docker.io";

/** Equal for every way of writing the same image of the default registry or another. */
export function imageKey({ host, path }: Pick<ImageName, "host" | "path">): string {
  const isHub = host === "" || host === dockerHub || host === "index.docker.io";
  return isHub ? `${dockerHub}/${path.includes("/") ? path : `library/${path}`}` : `${host}/${path}`;
}

/** Host and path as they were written. */
export function nameOf({ host, path }: Pick<ImageName, "host" | "path">): string {
  return host === "" ? path : `${host}/${path}`;
}

export interface ImageVersion {
  readonly tag: string;
  /** Empty: by its tag alone. */
  readonly digest: string;
}

/** `TAG`, `TAG@DIGEST`: what a chart's value of a tag may hold. */
export function versionText({ tag, digest }: ImageVersion): string {
  return digest === "" ? tag : `${tag === "" ? "latest" : tag}@${digest}`;
}

/** The whole reference. */
export function referenceOf(image: Pick<ImageName, "host" | "path">, { tag, digest }: ImageVersion): string {
  return `${nameOf(image)}${tag === "" ? "" : `:${tag}`}${digest === "" ? "" : `@${digest}`}`;
}
