import type { RestRepository } from "@capstan/wire";
import type { Paint } from "./paint.ts";
import { formatList } from "./table.ts";

/** cmd/argocd/commands/repo.go printRepoTable. */
export function repoTable(repositories: readonly RestRepository[], paint: Paint, room?: number): string {
  const header = ["TYPE", "NAME", "REPO", "INSECURE", "OCI", "LFS", "CREDS", "STATUS", "MESSAGE", "PROJECT"];
  return formatList([header, ...repositories.map((one) => row(one, paint))], room);
}

function row(one: RestRepository, paint: Paint): string[] {
  const status = one.connectionState?.status ?? "Unknown";
  const creds = one.inheritedCreds ? "inherited" : String(Boolean(one.username));
  return [
    one.type ?? "git",
    one.name ?? "",
    one.repo,
    String(one.insecure ?? false),
    String(one.enableOCI ?? false),
    String(one.enableLfs ?? false),
    creds,
    status === "Successful" ? paint("green", status) : paint("red", status),
    one.connectionState?.message ?? "",
    one.project ?? "",
  ];
}
