import { withoutEndSlashes } from "@capstan/formats";
import { OciRepository } from "@capstan/registries";
import { type HttpGetOptions, httpAsk, httpFailure } from "./http-get.ts";

export type OciOptions = Pick<HttpGetOptions, "repository" | "clock" | "signal" | "timeoutMs" | "hosts">;

/** A repository of a registry, by the rules of repositories; `name` below its URL, or empty. */
export function openOci(name: string, options: OciOptions): OciRepository {
  const { repository } = options;
  const { username = "", password, bearerToken, insecureOciForceHttp: plainHttp } = repository;
  // Credentials go only where a challenge asks for them.
  const { username: _u, password: _p, ...open } = repository;
  // What is not there is the chart, where one was asked for.
  const asked =
    name === "" ? repository : { ...repository, url: `${withoutEndSlashes(repository.url)}/${name}` };
  const { tlsClientCertData: _c, tlsClientCertKey: _k, tlsAuthorities: _a, ...elsewhere } = open;
  return new OciRepository(name, {
    address: repository.url,
    plainHttp,
    bearerToken,
    login: password === undefined ? undefined : { username, password },
    ask: (url, { headers, maxBytes, isElsewhere }) =>
      httpAsk(url, { ...options, repository: isElsewhere ? elsewhere : open, headers, maxBytes }),
    failure: (status, url) => httpFailure(status, url, status === 404 ? asked : repository),
  });
}
