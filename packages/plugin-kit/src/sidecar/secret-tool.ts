import type { ConfigManagementPlugin } from "@capstan/model";

/** Programs that put secrets into what they print; `ksops` comes with a flag of kustomize. */
const tools = [
  "argocd-vault-plugin",
  "helm[ -]secrets",
  "secrets?(?=://)",
  "ksops",
  "sops",
  "vals",
  "vault",
  "bao",
  "op (?:inject|read|run)",
  "gopass",
  "teller",
  "summon",
  "chamber",
  "berglas",
  "enable-alpha-plugins",
];
const mention = new RegExp(`(?<![\\w.-])(?:--)?(${tools.join("|")})(?![\\w-])`);

/** The program for secrets that the commands of a plugin name, if they name one: such output must not rest anywhere. */
export function secretTool({ spec }: ConfigManagementPlugin): string | undefined {
  const commands = [spec.init, spec.generate, spec.transform];
  const words = commands.flatMap((one) => [...(one?.command ?? []), ...(one?.args ?? [])]);
  for (const word of words) {
    const found = mention.exec(word)?.[1] ?? mention.exec(word.split("/").at(-1) ?? "")?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
