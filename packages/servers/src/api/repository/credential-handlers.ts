import { CapstanError } from "@capstan/model";
import type { RestRepoCreds } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { findSecret, writeSecret } from "./labelled-secrets.ts";
import type { RepositoryNeeds } from "./repository-handlers.ts";
import { credentialsSecret } from "./repository-secret.ts";

const resource = "repositories";

export function listRepoCreds({ settings, rights }: RepositoryNeeds): HandlerOf<"listRepoCreds"> {
  return async ({ url }, { user }) => ({
    metadata: {},
    items: settings.current.credentialTemplates
      .filter((one) => !url || one.url === url)
      .filter((one) => rights.allows(user, { resource, action: "get", object: one.url }))
      .map(shown),
  });
}

/** Never a password, key or token. */
function shown({ url, type, username }: RestRepoCreds): RestRepoCreds {
  return { url, ...(type ? { type } : {}), ...(username ? { username } : {}) };
}

export function createRepoCreds(context: RepositoryNeeds): HandlerOf<"createRepoCreds"> {
  return async ({ creds, upsert }, { user, signal }) => {
    const wanted = readCreds(creds);
    requireRight(context.rights, user, { resource, action: "create", object: wanted.url });
    const secret = credentialsSecret(wanted, context.controlNamespace);
    const what = `credential template "${wanted.url}"`;
    const mayReplace = () =>
      requireRight(context.rights, user, { resource, action: "update", object: wanted.url });
    await writeSecret(context, secret, { upsert: upsert ?? false, what, mayReplace, signal });
    return shown(wanted);
  };
}

export function updateRepoCreds(context: RepositoryNeeds): HandlerOf<"updateRepoCreds"> {
  return async ({ url, creds }, { user, signal }) => {
    const wanted = readCreds({ ...creds, url });
    requireRight(context.rights, user, { resource, action: "update", object: url });
    findSecret(context, { type: "repo-creds", url });
    const secret = credentialsSecret(wanted, context.controlNamespace);
    await writeSecret(context, secret, {
      upsert: true,
      what: `credential template "${url}"`,
      mayReplace: () => undefined,
      signal,
    });
    return shown(wanted);
  };
}

export function deleteRepoCreds(context: RepositoryNeeds): HandlerOf<"deleteRepoCreds"> {
  return async ({ url }, { user, signal }) => {
    requireRight(context.rights, user, { resource, action: "delete", object: url });
    const name = findSecret(context, { type: "repo-creds", url });
    const namespace = context.controlNamespace;
    await context.kube.delete({ apiVersion: "v1", kind: "Secret", namespace, name }, { signal });
    return {};
  };
}

function readCreds(given: RestRepoCreds | undefined): RestRepoCreds {
  if (!given || typeof given.url !== "string" || given.url.trim() === "")
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "url",
      problem: "is missing; give the beginning of the URLs",
    });
  return given;
}
