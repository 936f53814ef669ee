import { hash } from "node:crypto";
import { isRecord, parseJson, parseTime, withoutEndSlashes } from "@capstan/formats";
import { CapstanError, isChartName, withoutUserinfo } from "@capstan/model";
import { isOwn } from "@capstan/outbound";
import {
  indexTypes,
  isPlatformOf,
  manifestTypes,
  type OciManifest,
  platformManifests,
  platformOf,
  readManifest,
} from "./read-manifest.ts";
import { challengePart, isRealmOf } from "./realm.ts";
import type { RegistryAccess, RegistryAnswer } from "./registry-access.ts";

/** What a container's root file system is made of. */
export interface OciImage {
  readonly digest: string;
  readonly layers: OciManifest["layers"];
  /** As the image's author wrote it (OCI image specification, config). */
  readonly config: Readonly<Record<string, unknown>>;
  /** Its one file is a program in WebAssembly, as kpt's `alpha wasm push` makes it. */
  readonly isWasm: boolean;
}

/** When what stands under a reference was built. */
export interface OciBuild {
  /** Of the index where there is one, else of the manifest. */
  readonly digest: string;
  /** Milliseconds since 1970 of the newest of the platforms that are asked for; undefined: it does not say. */
  readonly createdMs: number | undefined;
  /** All that it is for. */
  readonly platforms: readonly string[];
  /** Whether it is for one of those that are asked for. */
  readonly isFitting: boolean;
}

const maxManifestBytes = 4 * 2 ** 20;
const maxTagPages = 100;
/** Manifests of one index that are looked at. */
const maxPlatforms = 32;
/** OCI distribution specification, "Pulling manifests". */
const tagText = /^\w[\w.-]{0,127}$/;
const digestText = /^sha256:[0-9a-f]{64}$/;

export function isOciUrl(url: string): boolean {
  return /^oci:\/\//i.test(url);
}

export function ociAddress(url: string): string {
  return withoutEndSlashes(url.replace(/^oci:\/\//i, ""));
}

/** One repository of an OCI registry (OCI distribution specification 1.1), read only. */
export class OciRepository {
  readonly #access: RegistryAccess;
  readonly #base: string;
  readonly #name: string;
  #authorization: string | undefined;

  /** `name` below the address; empty: the address is all. */
  constructor(name: string, access: RegistryAccess) {
    this.#access = access;
    if (name !== "" && !isChartName(name)) {
      const problem = `"${name}" is no name below ${withoutUserinfo(access.address)}: letters, digits, ".", "_" and "-", with "/" between`;
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: "chart", problem });
    }
    const whole = [ociAddress(access.address), name].filter((part) => part !== "").join("/");
    const slash = whole.indexOf("/");
    const host = slash < 0 ? whole : whole.slice(0, slash);
    this.#name = slash < 0 ? "" : whole.slice(slash + 1);
    this.#base = `${schemeOf(host, access)}://${host}/v2/`;
  }

  /** What the registry asks for first: whether it answers and takes the credentials. */
  async ping(): Promise<void> {
    await this.#get("", {});
  }

  /** All of them, page by page; what is no tag is left out. */
  async tags(): Promise<string[]> {
    const found: string[] = [];
    let next: string | undefined = `${this.#name}/tags/list?n=1000`;
    for (let page = 0; next !== undefined; page++) {
      if (page === maxTagPages)
        throw this.#unusable(
          `its list of tags has more than ${maxTagPages} pages, and is not read to its end`,
        );
      const { body, headers }: RegistryAnswer = await this.#get(next, {});
      const listed = parseJson(body.toString());
      if (isRecord(listed) && Array.isArray(listed.tags))
        for (const tag of listed.tags) if (typeof tag === "string" && tagText.test(tag)) found.push(tag);
      const link: string | undefined = /<([^<>]+)>;\s*rel="?next"?/.exec(String(headers.link ?? ""))?.[1];
      next = link === undefined ? undefined : link.replace(/^.*?\/v2\//, "");
    }
    return found;
  }

  /** By tag or digest. */
  async manifest(reference: string): Promise<OciManifest> {
    const { digest, content } = await this.#manifest(reference, manifestTypes);
    return { digest, ...readManifest(content) };
  }

  /** Of what stands under a tag now, an index or a manifest; most registries do not count the question as a pull. */
  async digest(tag: string): Promise<string> {
    const accept = `${indexTypes}, ${manifestTypes}`;
    const path = `${this.#name}/manifests/${tag}`;
    const { headers } = await this.#get(path, { accept }, { method: "HEAD" });
    const told = String(headers["docker-content-digest"] ?? "");
    return digestText.test(told) ? told : (await this.#manifest(tag, accept)).digest;
  }

  /** `platforms`: as `linux/amd64`; none: whatever it is for. */
  async build(reference: string, platforms: readonly string[]): Promise<OciBuild> {
    const found = await this.#manifest(reference, `${indexTypes}, ${manifestTypes}`);
    const { digest } = found;
    const isWanted = (one: string) =>
      platforms.length === 0 || platforms.some((wanted) => isPlatformOf(one, wanted));
    const listed = platformManifests(found.content);
    if (!listed) {
      const { createdMs, platform } = await this.#configOf(found.content);
      const isFitting = platform === undefined || isWanted(platform);
      return { digest, createdMs, platforms: platform === undefined ? [] : [platform], isFitting };
    }
    const fitting = listed.filter(({ platform }) => isWanted(platform)).slice(0, maxPlatforms);
    let createdMs: number | undefined;
    for (const one of fitting) {
      const { content } = await this.#part(one.digest);
      const { createdMs: own } = await this.#configOf(content);
      if (own !== undefined && (createdMs === undefined || own > createdMs)) createdMs = own;
    }
    const all = listed.map(({ platform }) => platform);
    return { digest, createdMs, platforms: all, isFitting: fitting.length > 0 };
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
      found = await this.#part(String(fitting.digest));
    }
    const { digest, content } = found;
    const read = await this.#config(content);
    const config = isRecord(read.config) ? read.config : {};
    return { digest, layers: readManifest(content).layers, config, isWasm };
  }

  async #config(manifest: Record<string, unknown>): Promise<Record<string, unknown>> {
    const described = isRecord(manifest.config) ? manifest.config : {};
    const read = parseJson((await this.blob(String(described.digest), maxManifestBytes)).toString());
    return isRecord(read) ? read : {};
  }

  async #configOf(manifest: Record<string, unknown>) {
    const config = await this.#config(manifest);
    const created = typeof config.created === "string" ? parseTime(config.created) : undefined;
    return { createdMs: created, platform: platformOf(config) };
  }

  /** A manifest that an index names. */
  async #part(digest: string) {
    if (!digestText.test(digest)) throw this.#forged(digest);
    return this.#manifest(digest, manifestTypes);
  }

  async #manifest(reference: string, accept: string) {
    const { body } = await this.#get(`${this.#name}/manifests/${reference}`, { accept });
    const digest = `sha256:${hash("sha256", body, "hex")}`;
    if (reference.startsWith("sha256:") && reference !== digest) throw this.#forged(reference);
    const content = parseJson(body.toString());
    return { digest, content: isRecord(content) ? content : {} };
  }

  async blob(digest: string, maxBytes: number): Promise<Buffer> {
    if (!digestText.test(digest)) throw this.#forged(digest);
    const { body } = await this.#get(`${this.#name}/blobs/${digest}`, {}, { maxBytes });
    if (`sha256:${hash("sha256", body, "hex")}` !== digest) throw this.#forged(digest);
    return body;
  }

  async #get(
    path: string,
    headers: Record<string, string>,
    { maxBytes = maxManifestBytes, method = "GET" }: { maxBytes?: number; method?: "GET" | "HEAD" } = {},
  ): Promise<RegistryAnswer> {
    const url = `${this.#base}${path}`;
    const ask = () => {
      const own = this.#authorization === undefined ? {} : { authorization: this.#authorization };
      return this.#access.ask(url, {
        method,
        maxBytes,
        headers: { ...headers, ...own },
        isElsewhere: false,
      });
    };
    let answer = await ask();
    // Another host, to which a redirect led, has nothing to ask for; a token may have run out.
    if (answer.status === 401 && isOwn(answer.from, new URL(this.#base))) {
      this.#authorization = await this.#authorize(String(answer.headers["www-authenticate"] ?? ""));
      if (this.#authorization !== undefined) answer = await ask();
    }
    if (answer.status === 200) return answer;
    throw this.#access.failure(answer.status, url);
  }

  /** What the challenge asks for: the password itself, or a token that its realm gives for it. */
  async #authorize(challenge: string): Promise<string | undefined> {
    const { login, bearerToken } = this.#access;
    const basic = login && `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
    if (/^basic/i.test(challenge)) return basic;
    const realm = challengePart(challenge, "realm");
    if (!/^bearer/i.test(challenge) || realm === undefined) return undefined;
    if (bearerToken) return `Bearer ${bearerToken}`;
    if (!URL.canParse(realm))
      throw this.#unusable("the registry asks for a token at an address that is no URL");
    const url = new URL(realm);
    for (const name of ["service", "scope"]) {
      const value = challengePart(challenge, name);
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const registry = new URL(this.#base);
    if (basic !== undefined && !isRealmOf(registry, url))
      throw this.#unusable(
        `the registry asks for its password at ${url.origin}, which is not of its domain: the password is not sent there. Use an address of the registry at that domain`,
      );
    const { status, body } = await this.#access.ask(url.href, {
      method: "GET",
      maxBytes: maxManifestBytes,
      headers: basic === undefined ? {} : { authorization: basic },
      isElsewhere: !isOwn(url, registry),
    });
    if (status !== 200) throw this.#access.failure(status, realm);
    const answer = parseJson(body.toString());
    const token = isRecord(answer) ? (answer.token ?? answer.access_token) : undefined;
    return typeof token === "string" ? `Bearer ${token}` : undefined;
  }

  #forged(digest: string): CapstanError {
    return this.#unusable(`what the registry gave for ${digest.slice(0, 100)} has another digest`);
  }

  #unusable(problem: string): CapstanError {
    return new CapstanError({
      code: "FAILED_PRECONDITION",
      what: withoutUserinfo(this.#access.address),
      problem,
    });
  }
}

/** Registries on this machine speak plain HTTP unless they say otherwise, as for docker. */
function schemeOf(host: string, { plainHttp }: RegistryAccess): "http" | "https" {
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(host);
  return (plainHttp ?? isLoopback) ? "http" : "https";
}

function isFor({ platform }: Record<string, unknown>, os: string, architecture: string): boolean {
  return isRecord(platform) && platform.os === os && platform.architecture === architecture;
}
