import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CapstanProcess,
  lacking,
  lackingRealCluster,
  realProgramPath,
  startCapstan,
  startRealCluster,
} from "@capstan/testkit";

/** Where the tests look for the control plane and for applications elsewhere (test/e2e/fixture/fixture.go). */
const namespaces = { control: "argocd-e2e", applications: "argocd-e2e-external" };
/** The tests' own folder: its name is fixed in them, and they make it anew for each test. */
const testsFolder = "/tmp/argo-e2e";
const shared = join(import.meta.dirname, "..", "..", "..", "shared", "compat", "argocd-e2e");
export const realResults = join(shared, "real.txt");

/** Argo CD's tests' world: a real control plane, Capstan as its control plane, and the tests' folders. */
export interface World extends AsyncDisposable {
  readonly capstan: CapstanProcess;
  /** Of the test program. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** The reason to skip, or false. */
export function lackingTests(): string | false {
  const missing =
    lackingRealCluster({ nodes: true }) ||
    lacking("argocd", "argocd-e2e.test", "helm3", "kustomize", "kubectl");
  if (missing) return missing;
  return existsSync(realResults) ? false : "what the real Argo CD does is not beside this checkout";
}

/** `skips`: what the real Argo CD was not asked for either is left out. */
export async function openWorld({ skips }: { skips: boolean }): Promise<World> {
  await using opened = new AsyncDisposableStack();
  const work = await mkdtemp(join(tmpdir(), "capstan-argocd-e2e-"));
  opened.defer(() => rm(work, { recursive: true, force: true, maxRetries: 5 }));
  await rm(testsFolder, { recursive: true, force: true });
  opened.defer(() => rm(testsFolder, { recursive: true, force: true }));
  await mkdir(join(testsFolder, "app", "config", "plugin"), { recursive: true });
  const cluster = opened.use(
    await startRealCluster({
      nodes: true,
      stages: [join(shared, "kwok-bare-pods.yaml"), join(import.meta.dirname, "kwok-invalid-images.yaml")],
    }),
  );
  await createNamespaces(cluster.kube);
  const kubeconfig = join(work, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfigFor(namespaces.control));
  const programs = await layPrograms(work);
  const env = await layHome(work, { programs, kubeconfig });
  const dataDir = join(work, "data");
  await mkdir(dataDir, { mode: 0o700 });
  await writeFile(join(dataDir, "admin-password"), "password\n", { mode: 0o600 });
  const capstan = opened.use(
    await startCapstan({
      dataDir,
      env,
      flags: [
        ...["--kubeconfig", kubeconfig, "--no-samples", "--allow-folder", testsFolder],
        ...["--namespace", namespaces.control, "--application-namespaces", namespaces.applications],
        ...["--plugin-sockets", join(testsFolder, "app", "config", "plugin")],
      ],
    }),
  );
  const folder = await layTests(work);
  const closing = opened.move();
  return {
    capstan,
    folder,
    env: {
      ...env,
      ARGOCD_SERVER: new URL(capstan.url).host,
      ARGOCD_OPTS: "--plaintext",
      ...(skips ? { ARGOCD_E2E_SKIP_GPG: "true", ARGOCD_E2E_SKIP_OPENSHIFT: "true" } : {}),
      ARGOCD_E2E_K3S: "true",
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function createNamespaces(kube: CapstanProcess["kube"]): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  for (const name of Object.values(namespaces))
    await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { signal });
  const labels = { "app.kubernetes.io/part-of": "argocd" };
  const maps = ["notifications-cm", "gpg-keys-cm", "tls-certs-cm", "ssh-known-hosts-cm", "cmd-params-cm"];
  const metadata = (name: string) => ({ name: `argocd-${name}`, namespace: namespaces.control, labels });
  const data = { "applicationsetcontroller.namespaces": namespaces.applications };
  for (const name of maps)
    await kube.create(
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: metadata(name),
        ...(name === "cmd-params-cm" ? { data } : {}),
      },
      { signal },
    );
  const secret = { apiVersion: "v1", kind: "Secret", metadata: metadata("notifications-secret") };
  await kube.create(secret, { signal });
}

/** Programs by the names that the tests call; `pkill` would end agents of others on this machine. */
async function layPrograms(work: string): Promise<string> {
  const programs = join(work, "programs");
  await mkdir(programs);
  const names = { argocd: "argocd", helm: "helm3", kustomize: "kustomize", kubectl: "kubectl" };
  for (const [name, program] of Object.entries(names))
    await symlink(realProgramPath(program), join(programs, name));
  await writeFile(join(programs, "pkill"), "#!/bin/sh\nexit 0\n");
  await chmod(join(programs, "pkill"), 0o755);
  return programs;
}

async function layHome(work: string, { programs, kubeconfig }: { programs: string; kubeconfig: string }) {
  const home = join(work, "home");
  await mkdir(home);
  const config = '[user]\nname = e2e\nemail = e2e@example.com\n[protocol "file"]\nallow = always\n';
  await writeFile(join(home, ".gitconfig"), `${config}[safe]\ndirectory = *\n`);
  const path = `${programs}:${process.env.PATH ?? ""}`;
  return { PATH: path, HOME: home, KUBECONFIG: kubeconfig, ARGOCD_CONFIG_DIR: join(home, "argocd") };
}

/** As in Argo CD's checkout: test/e2e beside fixture and the rest, the program in dist. */
async function layTests(work: string): Promise<string> {
  const module = moduleFolder();
  const folder = join(work, "checkout", "test", "e2e");
  await mkdir(folder, { recursive: true });
  await mkdir(join(work, "checkout", "dist"));
  await symlink(realProgramPath("argocd"), join(work, "checkout", "dist", "argocd"));
  for (const name of ["testdata", "testdata2", "testdata3"])
    await cp(join(module, "test", "e2e", name), join(folder, name), { recursive: true });
  for (const name of ["fixture", "certificates", "cmp"])
    await cp(join(module, "test", name), join(folder, "..", name), { recursive: true, force: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      },
    );
  // Files of Go's module cache may not be written.
  spawnSync("chmod", ["-R", "u+w", join(work, "checkout")]);
  return folder;
}

function moduleFolder(): string {
  const asked = spawnSync("go", ["list", "-m", "-f", "{{.Dir}}", "github.com/argoproj/argo-cd/v3"], {
    cwd: join(import.meta.dirname, "..", "..", "testenv", "argocd"),
    encoding: "utf8",
  });
  const folder = asked.stdout?.trim();
  if (!folder)
    throw new Error(`Argo CD's module is not there: npm run testenv argocd-tests\n${asked.stderr}`);
  return folder;
}
