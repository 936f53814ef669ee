import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const repositoryRoot = join(import.meta.dirname, "..", "..", "..");
const startTries = 1_000;

/** `capstan up` as people run it, with its samples, in a folder of its own. */
export class Product implements AsyncDisposable {
  readonly url: string;
  readonly password: string;
  readonly #folder: string;
  readonly #process: ChildProcess;
  #token: string | undefined;

  private constructor(facts: { url: string; password: string; folder: string; process: ChildProcess }) {
    this.url = facts.url;
    this.password = facts.password;
    this.#folder = facts.folder;
    this.#process = facts.process;
  }

  /** `data`: a folder that is deleted in the end, where pictures show its name. */
  static async start(flags: readonly string[] = [], data?: string): Promise<Product> {
    const folder = data ?? (await mkdtemp(join(tmpdir(), "capstan-product-")));
    const args = [
      join(repositoryRoot, "bin", "capstan.js"),
      "up",
      "--data",
      folder,
      "--port",
      "0",
      "--cluster-port",
      "0",
      ...flags,
    ];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    for (let tries = 0; tries < startTries; tries++) {
      if (child.exitCode !== null) throw new Error(`capstan up ended with ${child.exitCode}`);
      const status = await readFile(join(folder, "status.json"), "utf8").catch(() => undefined);
      if (status !== undefined) {
        const password = (await readFile(join(folder, "admin-password"), "utf8")).trim();
        return new Product({ url: JSON.parse(status).url, password, folder, process: child });
      }
      await sleep(100);
    }
    child.kill();
    throw new Error(`capstan up did not write ${folder}/status.json`);
  }

  /** The sample repository, as an application names it. */
  get repository(): string {
    return `file://${this.#folder}/samples`;
  }

  /** Changes a file of the sample repository and commits it; answers the commit. */
  async commit(file: string, change: (text: string) => string): Promise<string> {
    const path = join(this.#folder, "samples", file);
    return this.write(file, change(await readFile(path, "utf8")), `Change ${file}`);
  }

  /** Writes a file of the sample repository and commits it; answers the commit. */
  async write(file: string, text: string, message = `Add ${file}`): Promise<string> {
    const folder = join(this.#folder, "samples");
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
    const identity = ["-c", "user.name=Mara", "-c", "user.email=mara@example.com"];
    await run("git", ["-C", folder, "add", file]);
    await run("git", ["-C", folder, ...identity, "commit", "-qm", message]);
    const { stdout } = await run("git", ["-C", folder, "rev-parse", "HEAD"]);
    return stdout.trim();
  }

  /** Asks the server as admin, past the page. `call` is "POST /api/v1/…". */
  async ask(call: string, body?: object): Promise<{ items?: unknown[]; token?: string }> {
    this.#token ??= await this.logIn("admin", this.password);
    const [method = "", path] = call.split(" ");
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${call}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** Sets texts of a ConfigMap of the installation, as an operator does. */
  async configure(configMap: string, data: Record<string, string>): Promise<void> {
    const { clusters, users } = JSON.parse(await readFile(join(this.#folder, "kubeconfig"), "utf8"));
    const { server, "certificate-authority-data": ca } = clusters[0].cluster;
    const headers = {
      authorization: `Bearer ${users[0].user.token}`,
      "content-type": "application/merge-patch+json",
    };
    const url = `${server}/api/v1/namespaces/argocd/configmaps/${configMap}`;
    const sent = request(url, { method: "PATCH", headers, ca: Buffer.from(ca, "base64") });
    sent.end(JSON.stringify({ data }));
    const [response] = await once(sent, "response");
    response.resume();
    if (response.statusCode !== 200) throw new Error(`PATCH ${url}: ${response.statusCode}`);
  }

  /** Types a command of Capstan's into a terminal that knows the installation's cluster. */
  async type(command: string): Promise<void> {
    const [name, ...args] = command.split(" ");
    if (name !== "capstan") throw new Error(`no command of Capstan's: ${command}`);
    const env = { ...process.env, KUBECONFIG: join(this.#folder, "kubeconfig") };
    await run(process.execPath, [join(repositoryRoot, "bin", "capstan.js"), ...args], { env });
  }

  /** Gives an account its password. */
  async setPassword(name: string, newPassword: string): Promise<void> {
    await this.ask("PUT /api/v1/account/password", { name, newPassword, currentPassword: this.password });
  }

  /** A token of an account that ends by itself after some seconds. */
  async tokenOf(name: string, expiresIn: number): Promise<string> {
    const { token } = await this.ask(`POST /api/v1/account/${name}/token`, { expiresIn });
    if (token === undefined) throw new Error(`${name} got no token`);
    return token;
  }

  async logIn(username: string, password: string): Promise<string> {
    const body = JSON.stringify({ username, password });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${this.url}/api/v1/session`, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`the login of ${username}: ${response.status}`);
    return (await response.json()).token;
  }

  /** An application of one folder of the sample repository that syncs by itself. */
  async createApplication(name: string, path: string): Promise<void> {
    await this.ask("POST /api/v1/applications", {
      metadata: { name, namespace: "argocd" },
      spec: {
        project: "default",
        source: { repoURL: this.repository, path, targetRevision: "HEAD" },
        destination: { server: "https://kubernetes.default.svc", namespace: name },
        syncPolicy: { automated: {}, syncOptions: ["CreateNamespace=true"] },
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGTERM");
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
