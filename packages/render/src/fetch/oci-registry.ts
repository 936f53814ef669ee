import { hash } from "node:crypto";
import { isRecord, parseJson, withoutEndSlashes } from "@capstan/formats";
import { CapstanError, isChartName, type Repository, withoutUserinfo } from "@capstan/model";
import { type HttpAnswer, type HttpGetOptions, httpAsk, httpFailure, isOwn } from "./http-get.ts";

export interface OciManifest {
  readonly digest: string;
  readonly configType: string;
  readonly layers: readonly { digest: string; mediaType: string; size: number }[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** What a container's root file system is made of. */
export interface OciImage {
  readonly digest: string;
  readonly layers: OciManifest["layers"];
  /** As the image's author wrote it (OCI image specification, config). */
  readonly config: Readonly<Record<string, unknown>>;
  /** Its one file is a program in WebAssembly, as kpt's `alpha wasm push` makes it. */
  readonly isWasm: boolean;
}

export type OciOptions = Pick<HttpGetOptions, "repository" | "clock" | "signal" | "timeoutMs">;

const manifestTypes =
  "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json";
const indexTypes =
  "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json";
const maxManifestBytes = 4 * 2 ** 20;
const maxTagPages = 100;

export function isOciUrl(url: string): boolean {
  return /^oci:\/\//i.test(url);
}

/** HOST/PATH, as registries' Secrets also write it. */
export function ociAddress(url: string): string {
  return withoutEndSlashes(url.replace(/^oci:\/\//i, ""));
}

/** One repository of an OCI registry (OCI distribution specification 1.1), read only. */
export class OciRepository {
  readonly #options: OciOptions;
  readonly #base: string;
  readonly #name: string;
  #authorization: string | undefined;

  /** `name` below the repository's URL; empty: the URL is all. */
  constructor(name: string, options: OciOptions) {
    this.#options = options;
    if (name !== "" && !isChartName(name)) {
      const problem = `"${name}" is no name below ${withoutUserinfo(options.repository.url)}: letters, digits, ".", "_" and "-", with "/" between`;
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: "chart", problem });
    }
    const whole = [ociAddress(options.repository.url), name].filter((part) => part !== "").join("/");
    const slash = whole.indexOf("/");
    const host = slash < 0 ? whole : whole.slice(0, slash);
    this.#name = slash < 0 ? "" : whole.slice(slash + 1);
    this.#base = `${schemeOf(host, options.repository)}://${host}/v2/`;
  }

  /** What the registry asks for first: whether it answers and takes the credentials. */
  async ping(): Promise<void> {
    await this.#get("", {});
  }

  async tags(): Promise<string[]> {
    const found: string[] = [];
    let next: string | undefined = `${this.#name}/tags/list?n=1000`;
    for (let page = 0; next !== undefined && page < maxTagPages; page++) {
      const { body, headers }: HttpAnswer = await this.#get(next, {});
      const listed = parseJson(body.toString());
      if (isRecord(listed) && Array.isArray(listed.tags)) found.push(...listed.tags.map(String));
      const link: string | undefined = /<([^>]+)>;\s*rel="?next"?/.exec(String(headers.link ?? ""))?.[1];
      next = link === undefined ? undefined : link.replace(/^.*?\/v2\//, "");
    }
    return found;
  }

  /** By tag or digest. */
  async manifest(reference: string): Promise<OciManifest> {
    const { digest, content } = await this.#manifest(reference, manifestTypes);
    return { digest, ...readManifest(content) };
  }

  /**
   * By tag or digest; of an image for several platforms the one for `architecture`, in Go's words, on Linux, else that
   * in WebAssembly.
   */
  async image(reference: string, architecture: string): Promise<OciImage> {
    let found = await this.#manifest(reference, `${manifestTypes}, ${indexTypes}`);
    let isWasm = false;
    if (Array.isArray(found.content.manifests)) {
      const all = found.content.manifests.filter(isRecord);
      const own = all.find((one) => isFor(one, "linux", architecture));
      const fitting = own ?? all.find((one) => isFor(one, "js", "wasm"));
      if (!fitting) throw this.#unusable(`${reference} has nothing for linux/${architecture}`);
      isWasm = fitting !== own;
      found = await this.#manifest(String(fitting.digest), manifestTypes);
    }
    const { digest, content } = found;
    const described = isRecord(content.config) ? content.config : {};
    const read = parseJson((await this.blob(String(described.digest), maxManifestBytes)).toString());
    const config = isRecord(read) && isRecord(read.config) ? read.config : {};
    return { digest, layers: readManifest(content).layers, config, isWasm };
  }

  async #manifest(reference: string, accept: string) {
    const { body } = await this.#get(`${this.#name}/manifests/${reference}`, { accept });
    const digest = `sha256:${hash("sha256", body, "hex")}`;
    if (reference.startsWith("sha256:") && reference !== digest) throw this.#forged(reference);
    const content = parseJson(body.toString());
    return { digest, content: isRecord(content) ? content : {} };
  }

  async blob(digest: string, maxBytes: number): Promise<Buffer> {
    const { body } = await this.#get(`${this.#name}/blobs/${digest}`, {}, maxBytes);
    if (`sha256:${hash("sha256", body, "hex")}` !== digest) throw this.#forged(digest);
    return body;
  }

  async #get(
    path: string,
    headers: Record<string, string>,
    maxBytes = maxManifestBytes,
  ): Promise<HttpAnswer> {
    const url = `${this.#base}${path}`;
    const ask = () => {
      const own = this.#authorization === undefined ? {} : { authorization: this.#authorization };
      return httpAsk(url, { ...this.#open(), maxBytes, headers: { ...headers, ...own } });
    };
    let answer = await ask();
    // Another host, to which a redirect led, has nothing to ask for.
    const isOwnAnswer = isOwn(answer.from, new URL(this.#base));
    if (answer.status === 401 && this.#authorization === undefined && isOwnAnswer) {
      this.#authorization = await this.#authorize(String(answer.headers["www-authenticate"] ?? ""));
      if (this.#authorization !== undefined) answer = await ask();
    }
    if (answer.status === 200) return answer;
    throw httpFailure(answer.status, url, this.#options.repository);
  }

  /** Credentials go only where a challenge asks for them. */
  #open(): OciOptions {
    const { username: _u, password: _p, ...open } = this.#options.repository;
    return { ...this.#options, repository: open };
  }

  /** What the challenge asks for: the password itself, or a token that its realm gives for it. */
  async #authorize(challenge: string): Promise<string | undefined> {
    const { username = "", password, bearerToken } = this.#options.repository;
    const basic =
      password === undefined
        ? undefined
        : `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    if (/^basic/i.test(challenge)) return basic;
    const realm = partOf(challenge, "realm");
    if (!/^bearer/i.test(challenge) || realm === undefined) return undefined;
    if (bearerToken) return `Bearer ${bearerToken}`;
    const url = new URL(realm);
    for (const name of ["service", "scope"]) {
      const value = partOf(challenge, name);
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const isMeant = isRealmOf(new URL(this.#base), url);
    if (!isMeant && basic !== undefined)
      throw this.#unusable(
        `the registry asks for its password at ${url.origin}, which is not of its domain: the password is not sent there. Use an address of the registry at that domain`,
      );
    const headers = basic === undefined ? {} : { authorization: basic };
    const {
      tlsClientCertData: _c,
      tlsClientCertKey: _k,
      tlsAuthorities: _a,
      ...plain
    } = this.#open().repository;
    const repository = isOwn(url, new URL(this.#base)) ? this.#open().repository : plain;
    const asked = { ...this.#options, repository, maxBytes: maxManifestBytes, headers };
    const { status, body } = await httpAsk(url.href, asked);
    if (status !== 200) throw httpFailure(status, realm, this.#options.repository);
    const answer = parseJson(body.toString());
    const token = isRecord(answer) ? (answer.token ?? answer.access_token) : undefined;
    return typeof token === "string" ? `Bearer ${token}` : undefined;
  }

  #forged(digest: string): CapstanError {
    return this.#unusable(`what the registry gave for ${digest} has another digest`);
  }

  #unusable(problem: string): CapstanError {
    const what = withoutUserinfo(this.#options.repository.url);
    return new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
  }
}

/** Registries on this machine speak plain HTTP unless they say otherwise, as for docker. */
function schemeOf(host: string, { insecureOciForceHttp }: Repository): "http" | "https" {
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host);
  return (insecureOciForceHttp ?? isLoopback) ? "http" : "https";
}

/**
 * Whether a registry's password may be changed for a token there: at the registry itself, or over TLS at a host of its
 * own domain, as auth.docker.io is of registry-1.docker.io.
 */
export function isRealmOf(registry: URL, realm: URL): boolean {
  if (isOwn(realm, registry)) return true;
  if (registry.protocol !== "https:" || realm.protocol !== "https:" || realm.port !== "") return false;
  const own = domainOf(registry.hostname);
  return own !== undefined && own === domainOf(realm.hostname);
}

/** The last two names of a host, three where the second is as short as in co.uk; of an address or a single name none. */
function domainOf(host: string): string | undefined {
  const names = host.split(".");
  const [second = "", first = ""] = names.slice(-2);
  if (names.length < 2 || /^\d*$|:|\]/.test(first)) return undefined;
  const count = second.length <= 3 && first.length === 2 ? 3 : 2;
  return names.length < count ? undefined : names.slice(-count).join(".");
}

function isFor({ platform }: Record<string, unknown>, os: string, architecture: string): boolean {
  return isRecord(platform) && platform.os === os && platform.architecture === architecture;
}

function partOf(challenge: string, name: string): string | undefined {
  return new RegExp(`[ ,]${name}="([^"]*)"`, "i").exec(challenge)?.[1];
}

function readManifest(content: Record<string, unknown>): Omit<OciManifest, "digest"> {
  const config = isRecord(content.config) ? content.config : {};
  const layers = Array.isArray(content.layers) ? content.layers.filter(isRecord) : [];
  const annotations = isRecord(content.annotations) ? content.annotations : {};
  return {
    configType: String(config.mediaType ?? ""),
    layers: layers.map(({ digest, mediaType, size }) => ({
      digest: String(digest ?? ""),
      mediaType: String(mediaType ?? ""),
      size: Number(size ?? 0),
    })),
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [name, String(value)]),
    ),
  };
}
