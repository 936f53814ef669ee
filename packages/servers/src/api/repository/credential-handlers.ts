import { type Settings, spellingOf } from "@capstan/kube";
import { CapstanError, isSameRepository, withoutUserinfo } from "@capstan/model";
import type { RestRepoCreds } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { deleteSecret, writeSecret } from "./labelled-secrets.ts";
import { readUrl } from "./read-repository.ts";
import type { RepositoryNeeds } from "./repository-handlers.ts";
import { credentialsSecret } from "./repository-secret.ts";
import { repositoryObject, secretOf } from "./stored-repository.ts";

export function listRepoCreds({ settings, rights, kind }: RepositoryNeeds): HandlerOf<"listRepoCreds"> {
  return async ({ url }, { user }) => ({
    metadata: {},
    items: kind
      .templates(settings.current)
      .filter((one) => !url || one.url === url)
      .filter((one) =>
        rights.allows(user, { resource: kind.resource, action: "get", object: repositoryObject(one) }),
      )
      .map(shown)
      .sort((left, right) => (left.url < right.url ? -1 : 1)),
  });
}

/** Never a password, key or token. */
function shown({ url, type, username }: Pick<RestRepoCreds, "url" | "type" | "username">): RestRepoCreds {
  return { url, ...(type ? { type } : {}), ...(username ? { username } : {}) };
}

export function createRepoCreds(context: RepositoryNeeds): HandlerOf<"createRepoCreds"> {
  return async ({ creds, upsert = false }, { user, signal }) => {
    const { rights, kind } = context;
    const { resource } = kind;
    const wanted = readCreds(creds);
    requireRight(rights, user, { resource, action: "create", object: wanted.url });
    const stored = storedTemplate(context, wanted.url);
    if (stored && upsert) requireChange(context, { stored, user, action: "update" });
    await write(context, wanted, { stored, upsert, signal });
    return shown(wanted);
  };
}

export function updateRepoCreds(context: RepositoryNeeds): HandlerOf<"updateRepoCreds"> {
  return async ({ url, creds }, { user, signal }) => {
    const wanted = readCreds({ ...creds, url });
    requireRight(context.rights, user, { resource: context.kind.resource, action: "update", object: url });
    const stored = storedTemplate(context, url);
    if (!stored) throw missing(url);
    requireChange(context, { stored, user, action: "update" });
    await write(context, wanted, { stored, upsert: true, signal });
    return shown(wanted);
  };
}

export function deleteRepoCreds(context: RepositoryNeeds): HandlerOf<"deleteRepoCreds"> {
  return async ({ url }, { user, signal }) => {
    requireRight(context.rights, user, { resource: context.kind.resource, action: "delete", object: url });
    const stored = storedTemplate(context, url);
    if (!stored) throw missing(url);
    requireChange(context, { stored, user, action: "delete" });
    await deleteSecret(context, secretOf(stored, context.kind.templateType), { what: whatIs(url), signal });
    return {};
  };
}

type Template = Settings["credentialTemplates"][number];

function storedTemplate({ settings, kind }: RepositoryNeeds, url: string): Template | undefined {
  return kind.templates(settings.current).find((one) => isSameRepository(one.url, url, spellingOf(one)));
}

/** A template of a project is written by kubectl: its object is the project's. */
function requireChange(
  { rights, kind: { resource } }: RepositoryNeeds,
  { stored, user, action }: { stored: Template; user: Identity; action: string },
): void {
  requireRight(rights, user, { resource, action, object: repositoryObject(stored) });
}

async function write(
  context: RepositoryNeeds,
  wanted: RestRepoCreds,
  of: { stored: Template | undefined; upsert: boolean; signal: AbortSignal },
): Promise<void> {
  const { kind, controlNamespace: namespace } = context;
  const stored = of.stored && secretOf(of.stored, kind.templateType);
  const secret = credentialsSecret(wanted, { namespace, kind });
  await writeSecret(context, secret, { ...of, stored, what: whatIs(wanted.url) });
}

function whatIs(url: string): string {
  return `credential template "${withoutUserinfo(url)}"`;
}

function missing(url: string): CapstanError {
  return new CapstanError({ code: "NOT_FOUND", what: whatIs(url) });
}

function readCreds(given: RestRepoCreds | undefined): RestRepoCreds {
  const url = readUrl(given?.url, { field: "url", missing: "is missing; give the beginning of the URLs" });
  return { ...given, url };
}
