import { subdomainName } from "./names.ts";
import type { Report } from "./report.ts";

/** apimachinery/pkg/util/validation IsDomainPrefixedPath */
export function validatePrefixedPath(report: Report, path: string, field: string): void {
  const rule = 'must be a domain-prefixed path (such as "acme.io/foo")';
  const slash = path.indexOf("/");
  if (path === "") report.required(field);
  else if (slash <= 0 || slash === path.length - 1) report.invalid(field, path, rule);
  else {
    const host = path.slice(0, slash);
    report.syntax(field, host, subdomainName(host));
    const rest = path.slice(slash + 1);
    if (!/^(?:[A-Za-z0-9/\-._~%!$&'()*+,;=:]+)$/.test(rest)) report.invalid(field, rest, "Invalid path");
  }
}
