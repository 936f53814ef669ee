import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A line of a log of audit.k8s.io/v1, as far as it is read here. */
interface Line {
  verb: string;
  userAgent?: string;
  user: { username: string };
  objectRef?: { resource: string; subresource?: string; name?: string };
}

/** Of others than whom a bench measures: the bench, the cluster's own programs. */
const others = /^(capstan-testkit|kube-apiserver|kube-controller-manager|kube-scheduler)/;

/** What an API server has been asked, in a file of its own: kube-apiserver's --audit-log-path, `capstan up --audit-log`. */
export class AuditLog implements AsyncDisposable {
  readonly #dir: string;
  readonly file: string;

  private constructor(dir: string) {
    this.#dir = dir;
    this.file = join(dir, "audit.log");
  }

  static async open(): Promise<AuditLog> {
    return new AuditLog(await mkdtemp(join(tmpdir(), "capstan-audit-")));
  }

  /** How often the peer asked what so far, by `VERB RESOURCE[/SUBRESOURCE]`; renewals of leases are left out. */
  async counts(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    const lines = (await readFile(this.file, "utf8")).split("\n").filter(Boolean);
    for (const line of lines) {
      const { verb, userAgent = "", user, objectRef }: Line = JSON.parse(line);
      if (others.test(userAgent) || user.username === "system:apiserver") continue;
      const { resource = "", subresource } = objectRef ?? {};
      if (resource === "leases") continue;
      const name = `${verb} ${[resource, subresource].filter(Boolean).join("/")}`.trim();
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#dir, { recursive: true, force: true });
  }
}

/** What came to `before`. */
export function countsSince(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const more = [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return new Map(more.filter(([, count]) => count > 0));
}
