import type { Clock } from "@capstan/flow";
import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { callJson, type JsonAnswer, shortToken, type Token, type TokenCache } from "@capstan/secret-services";
import type { Settings } from "@capstan/secret-services/settings";
import type { Backend, BackendNeeds, SecretData } from "./backend.ts";

interface Listed {
  id: string;
  name: string;
  type: string;
}

interface Place {
  type: string;
  group: string;
  /** Absent: the key names the secret. */
  name?: string;
}

const grant = "urn:ibm:params:oauth:grant-type:apikey";
const pathShape = /^ibmcloud\/([^/]+)\/secrets\/groups\/([^/]+)(?:\/(.+))?$/;
const groupId = /^(default|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const pageSize = 200;
const maxPages = 100;
const atOnce = 20;

/** What is secret of each type (pkg/backends/ibmsecretsmanager.go GetSecret). */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  username_password: ["username", "password"],
  imported_cert: ["certificate", "private_key", "intermediate"],
  public_cert: ["certificate", "private_key", "intermediate"],
  private_cert: ["certificate", "private_key", "issuing_ca", "ca_chain"],
  iam_credentials: ["api_key"],
};

/** IBM Cloud Secrets Manager, version 2 of its API. */
export async function ibmBackend(settings: Settings, { clock, tokens }: BackendNeeds): Promise<Backend> {
  const instance = settings.get("AVP_IBM_INSTANCE_URL") ?? settings.need("VAULT_ADDR");
  const ibm = new SecretsManager(`${withoutEndSlashes(instance)}/api/v2`, settings, { clock, tokens });
  return {
    async read({ path, version }, signal) {
      const place = readPlace(path);
      const secrets = await ibm.list(place, signal);
      if (place.name !== undefined) {
        const secret = secrets.find(({ name }) => name === place.name);
        return secret && asRecord(await ibm.value(secret, version, signal));
      }
      const data: Record<string, unknown> = {};
      for (let at = 0; at < secrets.length; at += atOnce) {
        const some = secrets.slice(at, at + atOnce);
        const values = await Promise.all(some.map((secret) => ibm.value(secret, version, signal)));
        for (const [index, { name }] of some.entries()) data[name] = values[index];
      }
      return data;
    },
    async readKey({ path, version }, key, signal) {
      const place = readPlace(path);
      const secret = (await ibm.list(place, signal)).find(({ name }) => name === (place.name ?? key));
      if (!secret) return undefined;
      const value = await ibm.value(secret, version, signal);
      if (place.name === undefined) return value;
      return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    },
  };
}

class SecretsManager {
  readonly #api: string;
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #tokens: TokenCache;
  #groups: Promise<Readonly<Record<string, string>>> | undefined;
  readonly #lists = new Map<string, Promise<Listed[]>>();
  readonly #values = new Map<string, Promise<unknown>>();

  constructor(api: string, settings: Settings, { clock, tokens }: BackendNeeds) {
    this.#api = api;
    this.#settings = settings;
    this.#clock = clock;
    this.#tokens = tokens;
  }

  /** Those of one type in one group. */
  async list({ type, group }: Place, signal: AbortSignal): Promise<Listed[]> {
    const list = this.#lists.get(group) ?? this.#listGroup(group, signal);
    this.#lists.set(group, list);
    return (await list).filter((secret) => secret.type === type);
  }

  /** The payload of an arbitrary secret, the fields of all others. */
  value(secret: Listed, version: string | undefined, signal: AbortSignal): Promise<unknown> {
    const suffix = version === undefined ? "" : `/versions/${encodeURIComponent(version)}`;
    const path = `/secrets/${encodeURIComponent(secret.id)}${suffix}`;
    const value = this.#values.get(path) ?? this.#get(path, signal).then((body) => payloadOf(secret, body));
    this.#values.set(path, value);
    return value;
  }

  async #listGroup(group: string, signal: AbortSignal): Promise<Listed[]> {
    const id = groupId.test(group) ? group : await this.#groupByName(group, signal);
    const found: Listed[] = [];
    for (let page = 0; page < maxPages; page += 1) {
      const query = new URLSearchParams({
        groups: id,
        limit: String(pageSize),
        offset: String(page * pageSize),
      });
      const { secrets } = await this.#get(`/secrets?${query}`, signal);
      const listed = Array.isArray(secrets) ? secrets.filter(isRecord) : [];
      found.push(...listed.map((one) => ({ ...textsOf(one), type: String(one.secret_type) })));
      if (listed.length < pageSize) return found;
    }
    throw new Error(`the group has more than ${maxPages * pageSize} secrets`);
  }

  async #groupByName(name: string, signal: AbortSignal): Promise<string> {
    this.#groups ??= this.#get("/secret_groups", signal).then(({ secret_groups: groups }) => {
      const listed = Array.isArray(groups) ? groups.filter(isRecord).map(textsOf) : [];
      return Object.fromEntries(listed.map((group) => [group.name, group.id]));
    });
    const id = (await this.#groups)[name];
    if (id !== undefined) return id;
    throw new Error(`there is no secret group "${name}"`);
  }

  async #get(path: string, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { token } = await this.#token(signal);
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await callJson(`${this.#api}${path}`, { headers, clock: this.#clock, signal });
    if (status === 200 && isRecord(body)) return body;
    const [first] = isRecord(body) && Array.isArray(body.errors) ? body.errors.filter(isRecord) : [];
    throw new Error(`IBM Secrets Manager answers ${status} ${String(first?.code ?? "")}`.trim());
  }

  #token(signal: AbortSignal): Promise<Token> {
    const iam = this.#settings.get("SECRETS_MANAGER_AUTH_URL") ?? "https://iam.cloud.ibm.com";
    const form = new URLSearchParams({ grant_type: grant, apikey: this.#settings.need("AVP_IBM_API_KEY") });
    const url = `${withoutEndSlashes(iam)}/identity/token`;
    const call = { method: "POST" as const, form, clock: this.#clock, signal };
    return this.#tokens.get(["ibm", url, form.toString()], {
      login: async () => readToken(await callJson(url, call), this.#clock),
    });
  }
}

function readToken({ status, body }: JsonAnswer, clock: Clock): Token {
  const answer = isRecord(body) ? body : {};
  if (status === 200 && typeof answer.access_token === "string")
    return shortToken(answer.access_token, answer.expires_in, clock);
  throw new Error(`IBM answers ${status} to the request for a token`);
}

function readPlace(path: string): Place {
  const [, type, group, name] = pathShape.exec(path) ?? [];
  if (type === undefined || group === undefined)
    throw new Error('the path is no "ibmcloud/TYPE/secrets/groups/GROUP" or "…/GROUP/SECRET"');
  if (type === "arbitrary" && name !== undefined)
    throw new Error("an arbitrary secret has no fields: leave its name out of the path and make it the key");
  return { type, group, ...(name === undefined ? {} : { name }) };
}

function textsOf(one: Record<string, unknown>): { id: string; name: string } {
  return { id: String(one.id), name: String(one.name) };
}

function payloadOf({ type }: Listed, body: Record<string, unknown>): unknown {
  if (body.payload_available === false) throw new Error("the payload of this version is gone");
  if (type === "arbitrary") return body.payload;
  if (type === "kv") return body.data;
  const fields = fieldsOf[type];
  if (!fields) throw new Error(`secrets of type "${type}" are unknown`);
  return Object.fromEntries(
    fields.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]])),
  );
}

function asRecord(value: unknown): SecretData | undefined {
  return isRecord(value) ? value : undefined;
}
