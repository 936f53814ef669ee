import { access } from "node:fs/promises";
import { toolPath } from "@capstan/programs";
import { lacking, realProgram, realProgramPath } from "@capstan/testkit";

/** One version of a program; scripts call it by the name of its client. */
export interface Client {
  readonly name: string;
  readonly client: "kubectl" | "helm";
  readonly program: string;
}

/** The reason to skip, or false. Further versions are played where they are there. */
export const lackingClients = (): string | false => lacking("kubectl", "helm4");

export async function findClients(): Promise<readonly Client[]> {
  const helm3 = realProgram("helm3");
  const built: readonly Client[] = [
    { name: "kubectl-1.36", client: "kubectl", program: realProgramPath("kubectl") },
    { name: "helm-4", client: "helm", program: realProgramPath("helm4") },
    ...("path" in helm3 ? [{ name: "helm-3", client: "helm", program: helm3.path } as const] : []),
  ];
  // The kubectl that comes with Capstan; for linux-x64 only.
  if (process.platform !== "linux" || process.arch !== "x64") return built;
  const program = await toolPath("kubectl", { HOME: process.env.HOME, PATH: "" });
  await access(program);
  return [...built, { name: "kubectl-1.34", client: "kubectl", program }];
}
