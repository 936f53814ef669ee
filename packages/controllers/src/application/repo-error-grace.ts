import { parseDuration } from "@capstan/formats";

interface Needs {
  readonly settings: { readonly current: { readonly params: Readonly<Record<string, string>> } };
  readonly options: { readonly repoErrorGraceMs: number };
}

/**
 * How long a repository may be out of reach before an application says so: as the setting has it, in seconds or as a
 * duration of Go, which is what Argo CD's program reads there (ARGOCD_REPO_ERROR_GRACE_PERIOD_SECONDS).
 */
export function repoErrorGraceMs({ settings, options }: Needs): number {
  const text = settings.current.params["controller.repo.error.grace.period.seconds"]?.trim() ?? "";
  return parseDuration(text) ?? options.repoErrorGraceMs;
}
