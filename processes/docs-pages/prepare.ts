/** What pages of docs/ speak of, started for them: for each name in a page what stands for it here. */
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeClient } from "@capstan/kube";
import {
  deploymentText,
  freePorts,
  kubeconfigText,
  lackingGitSshServer,
  startChartServer,
  startGitServer,
  startGitSshServer,
  startOidcProvider,
} from "@capstan/testkit";
import { startListeningCluster } from "@capstan/testkit/worlds";
import { startTestVault } from "../up/test-secrets.ts";
import { type Names, scriptOf } from "./page-script.ts";
import type { Place } from "./place.ts";

/** The cluster that a reader has. */
export interface PageCluster extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly kube: KubeClient;
}

export interface Preparation {
  /** Ends with the page. */
  readonly opened: AsyncDisposableStack;
  readonly place: Place;
  readonly cluster: PageCluster | undefined;
}

/** Free ports in place of those that a page names. */
export async function portsFor(...named: readonly string[]): Promise<Names> {
  const ports = await freePorts(named.length);
  return Object.fromEntries(named.map((name, index) => [name, `${ports[index]}`]));
}

/** A Capstan that runs, as a page says where it begins. */
export async function startCapstanIn(place: Place, ...flags: readonly string[]): Promise<void> {
  await place.type(`${scriptOf([], {})}capstan up --detach --no-samples ${flags.join(" ")}`);
}

/** An OpenID provider, and a browser in which somebody is logged in there. */
export async function prepareSignOn({ opened, place }: Preparation): Promise<Names> {
  const { "8085": callback = "" } = await portsFor("8085");
  const page = `http://${place.names["127.0.0.1:8080"]}`;
  const provider = opened.use(
    await startOidcProvider({
      clients: [
        { id: "argo-cd", secret: "what the provider gave", redirectUris: [`${page}/auth/callback`] },
        { id: "argo-cd-cli", redirectUris: [`http://localhost:${callback}/auth/callback`] },
      ],
      user: { sub: "ada", email: "ada@example.com", groups: ["developers"] },
    }),
  );
  const browser = join(place.bin, "xdg-open");
  await writeFile(browser, '#!/bin/sh\ncurl -sL "$1" >/dev/null\n');
  await chmod(browser, 0o755);
  await startCapstanIn(place);
  return {
    "https://id.example.com": provider.url,
    "https://cd.example.com": page,
    "cd.example.com": page.replace("http://", ""),
    "--sso": `--sso --sso-port ${callback}`,
  };
}

/** A Helm repository. */
export async function prepareCharts({ opened }: Pick<Preparation, "opened">): Promise<Names> {
  const server = opened.use(await startChartServer([{ name: "shop", version: "1.2.0" }]));
  return { "http://127.0.0.1:38471": server.url };
}

/** The same, a kubeconfig of another cluster, and a host with a key. */
export async function prepareCommandLine({ opened, place }: Preparation): Promise<Names> {
  const host = lackingGitSshServer() ? undefined : opened.use(await startGitSshServer());
  const [, port = ""] = /\]:(\d+) /.exec(host?.knownHosts ?? "") ?? [];
  const { url, token } = opened.use(await startListeningCluster());
  const text = kubeconfigText({ server: url, token });
  await writeFile(join(place.home, "prod.yaml"), text.replaceAll('"test"', '"prod"'));
  const keys = { "ssh-keyscan git.example": `ssh-keyscan -p ${port} 127.0.0.1` };
  return { ...keys, ...(await prepareCharts({ opened })) };
}

/** A repository over HTTP, and a Vault that holds what its placeholder names. */
export async function preparePasted({ opened }: Preparation): Promise<Names> {
  const vault = opened.use(await startTestVault("s.token", { web: { password: "hunter2" } }));
  const server = opened.use(await startGitServer());
  await server.createRepository("web", {
    "web/kustomization.yaml": "resources: [deployment.yaml, secret.yaml]\n",
    "web/deployment.yaml": deploymentText("web", { image: "example/web" }),
    "web/secret.yaml":
      "apiVersion: v1\nkind: Secret\nmetadata: { name: web, annotations: { avp.kubernetes.io/path: secret/data/web } }\nstringData: { password: <password> }\n",
  });
  return { "https://vault.example": vault.address, "https://git.example": server.url };
}
