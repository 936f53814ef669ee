import { createHash } from "node:crypto";
import type { RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";
import type { Files } from "../git-repository.ts";
import {
  type Credentials,
  isAuthorized,
  type LoopbackOptions,
  type LoopbackServer,
  startLoopbackServer,
} from "./loopback-server.ts";

export interface Chart {
  readonly name: string;
  readonly version: string;
  /** Further fields of Chart.yaml. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** What the chart holds beside Chart.yaml. */
  readonly files?: Files;
}

/** A Helm repository over HTTP: index.yaml and the archives that it names. */
export interface ChartServer extends LoopbackServer {
  /** Puts a chart, or a further version of one, into the index. */
  publish(chart: Chart): Promise<void>;
  /** `GET /index.yaml`, in the order of arrival. */
  readonly requests: readonly string[];
}

export interface ChartServerOptions extends LoopbackOptions {
  /** Without them anybody may read. */
  readonly credentials?: Credentials;
}

export async function startChartServer(
  charts: readonly Chart[],
  options: ChartServerOptions = {},
): Promise<ChartServer> {
  const archives = new Map<string, Buffer>();
  const entries: Record<string, object[]> = {};
  const requests: string[] = [];
  const publish = async (chart: Chart): Promise<void> => {
    const metadata = chartYaml(chart);
    const archive = await packChart(chart, metadata);
    const file = `${chart.name}-${chart.version}.tgz`;
    archives.set(`/charts/${file}`, archive);
    const digest = createHash("sha256").update(archive).digest("hex");
    const entry = { ...metadata, urls: [`charts/${file}`], digest, created: "2026-01-01T00:00:00Z" };
    entries[chart.name] = [entry, ...(entries[chart.name] ?? [])];
  };
  for (const chart of charts) await publish(chart);
  const listener: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (!isAuthorized(request.headers.authorization, options.credentials)) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="charts"' }).end("who are you?\n");
      return;
    }
    const archive = archives.get(request.url ?? "");
    if (archive) response.writeHead(200, { "content-type": "application/gzip" }).end(archive);
    else if (request.url === "/index.yaml")
      response
        .writeHead(200, { "content-type": "application/yaml" })
        .end(JSON.stringify({ apiVersion: "v1", entries }));
    else response.writeHead(404).end("there is no such file\n");
  };
  const server = await startLoopbackServer(listener, options);
  return { ...server, publish, requests };
}

const chartYaml = ({ name, version, fields }: Chart) => ({ apiVersion: "v2", name, version, ...fields });

function packChart({ name, files = {} }: Chart, metadata: object): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: `${name}/Chart.yaml` }, JSON.stringify(metadata));
  for (const [path, content] of Object.entries(files))
    if (content !== undefined) archive.entry({ name: `${name}/${path}` }, Buffer.from(content));
  archive.finalize();
  return buffer(archive.pipe(createGzip()));
}
