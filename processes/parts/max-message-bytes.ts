import { UsageError } from "@capstan/cli/record";

/** Of one message of Argo CD's programs. */
export function maxMessageBytes({
  ARGOCD_GRPC_MAX_SIZE_MB: text = "",
}: Readonly<Record<string, string | undefined>>) {
  if (!/^\d{0,5}$/.test(text))
    throw new UsageError(`ARGOCD_GRPC_MAX_SIZE_MB: "${text}" is not a whole number up to 99999`);
  return (text === "" ? 100 : Number(text)) * 2 ** 20;
}
