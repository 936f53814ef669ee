import { open } from "node:fs/promises";
import { secretTexts } from "@capstan/kube";
import { CapstanError, messageOf } from "@capstan/model";
import type { CommitSigning } from "@capstan/wire";
import type { UpdaterNeeds } from "./updater-needs.ts";

const what = "git.commit-signing-key";
const maxKeyBytes = 64 * 1024;

/**
 * The operator's key, by argocd-image-updater-config: a file of the machine, as argocd-image-updater takes it for ssh,
 * or a Secret of the control namespace. Undefined: commits are not signed. It is read at each commit, since it may be
 * another one by then.
 */
export async function readSigningKey(
  needs: Pick<UpdaterNeeds, "client" | "settings" | "controlNamespace">,
  signal: AbortSignal,
): Promise<CommitSigning | undefined> {
  const { imageUpdater } = needs.settings.current;
  const told = (imageUpdater[what] ?? "").trim();
  if (told === "") return undefined;
  const method = (imageUpdater["git.commit-signing-method"] ?? "").trim() || "openpgp";
  if (method !== "openpgp" && method !== "ssh")
    throw refused("git.commit-signing-method", `"${method}" is neither openpgp nor ssh`);
  if (told.startsWith("/")) return { method, key: await readKeyFile(told) };
  const [, name, field] = /^secret:([a-z0-9.-]+)#(.+)$/.exec(told) ?? [];
  if (name === undefined || field === undefined)
    throw refused(
      what,
      `"${told}" is neither /FILE nor secret:NAME#FIELD: no key ring is kept here, so put what gpg --armor --export-secret-keys prints into a Secret of the namespace ${needs.controlNamespace}`,
    );
  const { client, controlNamespace: namespace } = needs;
  const secret = await client.get({ apiVersion: "v1", kind: "Secret", namespace, name }, signal);
  const key = secret && secretTexts(secret)[field];
  if (!key) throw refused(what, `Secret ${namespace}/${name} has no field ${field}`);
  return { method, key };
}

async function readKeyFile(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxKeyBytes));
    return buffer.toString("utf8", 0, bytesRead);
  } catch (error) {
    throw refused(what, messageOf(error));
  }
}

function refused(setting: string, problem: string): CapstanError {
  return new CapstanError({ code: "FAILED_PRECONDITION", what: setting, problem });
}
