import { createHash, timingSafeEqual } from "node:crypto";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { tracedFrom } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { cmp, health, pluginV1, reflection, version } from "@capstan/wire/plugin-protocols";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { Followed } from "../follow-files.ts";
import { type AroundCall, type GrpcService, grpcService } from "../rpc/grpc-service.ts";
import { grpcStatusOf, RpcError } from "../rpc/rpc-error.ts";
import type { Handlers } from "../rpc/service-types.ts";
import type { ServedPlugin } from "../served-plugin.ts";
import { checkCallers } from "./check-callers.ts";
import { readListenAddress } from "./listen-address.ts";
import { healthService, reflectionService, versionService } from "./standard-services.ts";
import { type ServiceSettings, stockService } from "./stock-service.ts";
import { tlsCredentials } from "./tls-credentials.ts";

/** PEM texts. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  /** Callers must show a certificate of this authority. */
  readonly clientAuthority?: string;
}

export interface CallFacts {
  readonly service: string;
  readonly method: string;
  readonly kind: DescMethod["methodKind"];
}

export interface CallEnd {
  /** Of google.golang.org/grpc/codes; 0 is OK. */
  readonly code: number;
  readonly ms: number;
}

export interface ListenerSettings extends ServiceSettings {
  readonly version: string;
  /** ARGOCD_GRPC_MAX_SIZE_MB. */
  readonly maxMessageBytes: number;
  /** For addresses other than sockets; absent: plaintext. */
  readonly tls?: Followed<TlsFiles>;
  /** What callers over other addresses than sockets must send as `authorization: Bearer …`. */
  readonly token?: Followed<string>;
  /** Other addresses than sockets ask for neither token nor certificate; absent: they are refused. */
  readonly anyoneMayCall?: boolean;
  /** Told of every call, first when it begins, then with its end. */
  readonly onCall?: (call: CallFacts, end?: CallEnd) => void;
  /** Capstan's protocol for the plugins of one address. */
  readonly pluginService: (plugins: () => readonly ServedPlugin[]) => Handlers<typeof pluginV1.PluginService>;
}

export interface Listener extends AsyncDisposable {
  /** unix:///… or host:port, with the port that was taken. */
  readonly address: string;
}

/** Plugins at one address: Argo CD's protocol where it is a single one, and Capstan's. */
export async function listen(
  listenAddress: string,
  plugins: () => readonly ServedPlugin[],
  settings: ListenerSettings,
): Promise<Listener> {
  const { address, isSocket } = readListenAddress(listenAddress);
  if (!isSocket) checkCallers(listenAddress, settings);
  const socket = isSocket ? address.slice("unix://".length) : undefined;
  const server = new Server({
    "grpc.max_receive_message_length": settings.maxMessageBytes,
    "grpc.max_send_message_length": settings.maxMessageBytes,
  });
  for (const { definition, implementation } of servicesOf(plugins, settings, isSocket))
    server.addService(definition, implementation);
  if (socket !== undefined) await rm(socket, { force: true });
  const credentials =
    isSocket || !settings.tls ? ServerCredentials.createInsecure() : tlsCredentials(settings.tls);
  const port = await promisify(server.bindAsync.bind(server))(address, credentials);
  return {
    address: isSocket ? address : address.replace(/:\d+$/, `:${port}`),
    async [Symbol.asyncDispose]() {
      // Runs under way are aborted: their callers ask another endpoint, or again.
      server.forceShutdown();
      if (socket !== undefined) await rm(socket, { force: true });
    },
  };
}

function servicesOf(
  plugins: () => readonly ServedPlugin[],
  settings: ListenerSettings,
  isSocket: boolean,
): GrpcService[] {
  const around = aroundCalls(settings, isSocket ? undefined : settings.token);
  const serve = <S extends DescService>(service: S, handlers: Handlers<S>) =>
    grpcService(service, handlers, around);
  const named = [
    cmp.ConfigManagementPluginService,
    pluginV1.PluginService,
    version.VersionService,
    health.Health,
    reflection.ServerReflection,
  ];
  // The older version of reflection differs in nothing but its name.
  const reflectionAlpha = {
    ...reflection.ServerReflection,
    typeName: "grpc.reflection.v1alpha.ServerReflection",
  };
  return [
    serve(
      cmp.ConfigManagementPluginService,
      stockService(() => only(plugins()), settings),
    ),
    serve(pluginV1.PluginService, settings.pluginService(plugins)),
    serve(version.VersionService, versionService(settings.version)),
    serve(health.Health, healthService(named.map(({ typeName }) => typeName))),
    serve(reflection.ServerReflection, reflectionService(named)),
    serve(reflectionAlpha, reflectionService(named)),
  ];
}

function only(plugins: readonly ServedPlugin[]): ServedPlugin {
  const [plugin, another] = plugins;
  if (plugin && !another) return plugin;
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: "Argo CD's plugin protocol",
    problem: `${plugins.length} plugins are served at this address, which it cannot tell apart; give each its own`,
  });
}

function aroundCalls({ clock, log, onCall }: ListenerSettings, token: ListenerSettings["token"]): AroundCall {
  return async ({ parent, name, methodKind: kind }: DescMethod, call, work) => {
    const method = `/${parent.typeName}/${name}`;
    const facts = { service: parent.typeName, method: name, kind };
    const started = clock.now();
    onCall?.(facts);
    let failure: unknown;
    try {
      if (token !== undefined && parent !== health.Health)
        requireToken(call.header("authorization"), token.current());
      const trace = call.header("traceparent");
      await (trace === undefined ? work() : tracedFrom(trace, { name: `plugin ${name}` }, work));
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const ms = clock.now() - started;
      if (failure !== undefined) log.warn({ method, ms, error: failure }, "call failed");
      else log.debug({ method, ms }, "call finished");
      onCall?.(facts, { code: failure === undefined ? 0 : grpcStatusOf(failure).code, ms });
    }
  };
}

const unauthenticated = 16;

function requireToken(header: string | undefined, token: string): void {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  if (!timingSafeEqual(digest(header ?? ""), digest(`Bearer ${token}`)))
    throw new RpcError(unauthenticated, "send the plugin server's token as `authorization: Bearer …`");
}
