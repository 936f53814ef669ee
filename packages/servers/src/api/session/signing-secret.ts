import type { Settings } from "@capstan/kube";
import { CapstanError } from "@capstan/model";

/** argocd-secret's server.secretkey, by which sessions are signed and sealed. */
export function signingSecret({ secret }: Pick<Settings, "secret">): string {
  const key = secret["server.secretkey"];
  if (key) return key;
  throw new CapstanError({
    code: "UNAVAILABLE",
    what: "login",
    problem: "Secret argocd-secret has no server.secretkey yet",
  });
}
