import { experimental, type ServerCredentials } from "@grpc/grpc-js";
import type { Followed } from "../follow-files.ts";
import type { TlsFiles } from "./grpc-listener.ts";

/** New connections see what is current; those that are open go on. */
export function tlsCredentials(tls: Followed<TlsFiles>): ServerCredentials {
  const provider = new FollowedCertificates(tls);
  const asksCallers = tls.current().clientAuthority !== undefined;
  // Its declaration names the first two the other way round (grpc-js 1.14 server-credentials).
  return experimental.createCertificateProviderServerCredentials(
    provider,
    asksCallers ? provider : null,
    asksCallers,
  );
}

class FollowedCertificates implements experimental.CertificateProvider {
  readonly #tls: Followed<TlsFiles>;
  readonly #ends = new Map<unknown, () => void>();

  constructor(tls: Followed<TlsFiles>) {
    this.#tls = tls;
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#follow(listener, ({ certificate, key }) =>
      listener({ certificate: Buffer.from(certificate), privateKey: Buffer.from(key) }),
    );
  }

  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#follow(listener, ({ clientAuthority = "" }) =>
      listener({ caCertificate: Buffer.from(clientAuthority) }),
    );
  }

  removeIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#end(listener);
  }

  removeCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#end(listener);
  }

  #follow(listener: unknown, give: (files: TlsFiles) => void): void {
    const tell = () => give(this.#tls.current());
    this.#ends.set(listener, this.#tls.onChange(tell));
    // The server hears it only once it has told that it listens.
    queueMicrotask(tell);
  }

  #end(listener: unknown): void {
    this.#ends.get(listener)?.();
    this.#ends.delete(listener);
  }
}
