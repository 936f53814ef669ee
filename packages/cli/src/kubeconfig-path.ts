import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Io } from "./io.ts";

/** The flag, else the first file of KUBECONFIG that is there, else kubectl's usual one. */
export function kubeconfigPath({ env, home }: Pick<Io, "env" | "home">, given: string | undefined): string {
  if (given) return given;
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((one) => one !== "");
  return listed.find((one) => existsSync(one)) ?? listed[0] ?? join(home, ".kube", "config");
}
