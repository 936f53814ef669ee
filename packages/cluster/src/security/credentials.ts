import { randomBytes } from "node:crypto";
import type { Clock } from "@capstan/flow";
import {
  createAuthority,
  createServerCertificate,
  isUsable,
  type KeyAndCertificate,
} from "./certificates.ts";
import { newSigningKey } from "./tokens.ts";

/** Small texts that survive a restart. */
export interface Facts {
  fact(name: string): string | undefined;
  setFact(name: string, value: string): void;
}

/** The cluster's secrets, made once and kept with its data. */
export class Credentials {
  readonly #facts: Facts;
  readonly #clock: Clock;
  readonly authority: KeyAndCertificate;
  readonly adminToken: string;
  readonly signingKey: string;

  constructor(facts: Facts, clock: Clock) {
    this.#facts = facts;
    this.#clock = clock;
    this.authority = this.#keyAndCertificate("authority", () =>
      createAuthority("capstan-embedded-ca", clock.now()),
    );
    this.adminToken = this.#text("admin-token", () => randomBytes(24).toString("base64url"));
    this.signingKey = this.#text("signing-key", newSigningKey);
  }

  /** Made anew where the kept one lacks a name or runs out. */
  serverCertificate(names: readonly string[]): KeyAndCertificate {
    const make = () =>
      createServerCertificate(
        this.authority,
        { commonName: "capstan-embedded-cluster", names },
        this.#clock.now(),
      );
    const kept = this.#keyAndCertificate("server", make);
    if (isUsable(kept.certificate, names, this.#clock.now())) return kept;
    const renewed = make();
    this.#keep("server", renewed);
    return renewed;
  }

  #keyAndCertificate(name: string, make: () => KeyAndCertificate): KeyAndCertificate {
    const key = this.#facts.fact(`${name}-key`);
    const certificate = this.#facts.fact(`${name}-certificate`);
    if (key !== undefined && certificate !== undefined) return { key, certificate };
    const made = make();
    this.#keep(name, made);
    return made;
  }

  #keep(name: string, { key, certificate }: KeyAndCertificate): void {
    this.#facts.setFact(`${name}-key`, key);
    this.#facts.setFact(`${name}-certificate`, certificate);
  }

  #text(name: string, make: () => string): string {
    const kept = this.#facts.fact(name);
    if (kept !== undefined) return kept;
    const made = make();
    this.#facts.setFact(name, made);
    return made;
  }
}
