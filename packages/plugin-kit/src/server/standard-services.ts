import type { DescFile, DescMessage, DescService } from "@bufbuild/protobuf";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { untilAborted } from "@capstan/flow";
import type { health, reflection, version } from "@capstan/wire/plugin-protocols";
import { RpcError } from "../rpc/rpc-error.ts";
import type { Handlers } from "../rpc/service-types.ts";

const notFound = 5;
const [serving, unknownService] = [1, 3];

/** gRPC's health protocol: a server that answers serves; "" is the whole of it. */
export function healthService(names: readonly string[]): Handlers<typeof health.Health> {
  const isKnown = (service: string) => service === "" || names.includes(service);
  return {
    async check({ service }) {
      if (!isKnown(service)) throw new RpcError(notFound, "unknown service");
      return { status: serving };
    },
    async watch({ service }, { send }, { signal }) {
      await send({ status: isKnown(service) ? serving : unknownService });
      await untilAborted(signal);
    },
  };
}

/** What `argocd-cmp-server` answers too; only the version means something here. */
export function versionService(text: string): Handlers<typeof version.VersionService> {
  return {
    version: async () => ({
      Version: text,
      Compiler: "node",
      Platform: `${process.platform}/${process.arch}`,
    }),
  };
}

/** gRPC's server reflection, in both of its versions, for grpcurl and the like. */
export function reflectionService(
  services: readonly DescService[],
): Handlers<typeof reflection.ServerReflection> {
  const files = filesOf(services);
  return {
    async serverReflectionInfo(stream) {
      for await (const request of stream) {
        await stream.send({
          validHost: request.host,
          originalRequest: request,
          messageResponse: answer(request.messageRequest, services, files),
        });
      }
    },
  };
}

type Request = reflection.ServerReflectionRequest["messageRequest"];

function answer(
  { case: kind, value }: Request,
  services: readonly DescService[],
  files: readonly DescFile[],
) {
  if (kind === "listServices") {
    const service = services.map(({ typeName: name }) => ({ name }));
    return { case: "listServicesResponse", value: { service } } as const;
  }
  const file = files.find((one) =>
    kind === "fileByFilename"
      ? `${one.name}.proto` === value
      : kind === "fileContainingSymbol" && hasSymbol(one, value),
  );
  if (!file) {
    const errorMessage = `${String(value)} is not known here`;
    return { case: "errorResponse", value: { errorCode: notFound, errorMessage } } as const;
  }
  const fileDescriptorProto = withDependencies(file).map((one) =>
    toBinary(FileDescriptorProtoSchema, one.proto),
  );
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } } as const;
}

function hasSymbol(file: DescFile, symbol: string): boolean {
  const messages = (list: readonly DescMessage[]): boolean =>
    list.some(({ typeName, nestedMessages }) => typeName === symbol || messages(nestedMessages));
  return (
    messages(file.messages) ||
    file.enums.some(({ typeName }) => typeName === symbol) ||
    file.services.some(
      ({ typeName, methods }) =>
        typeName === symbol || methods.some(({ name }) => `${typeName}.${name}` === symbol),
    )
  );
}

function filesOf(services: readonly DescService[]): DescFile[] {
  return [...new Set(services.flatMap(({ file }) => withDependencies(file)))];
}

function withDependencies(file: DescFile): DescFile[] {
  return [file, ...file.dependencies.flatMap(withDependencies)];
}
