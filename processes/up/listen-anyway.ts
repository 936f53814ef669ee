interface Listener {
  listen(address: { host: string; port: number }): Promise<{ url: string; port: number }>;
}

export interface Listening {
  url: string;
  port: number;
  /** Set when the wanted port was busy. */
  moved: readonly { wanted: number; taken: number }[];
}

/** Listens on the port, or on any free one when it is busy: a start never fails for a port. */
export async function listenAnyway(
  server: Listener,
  address: { host: string; port: number },
): Promise<Listening> {
  try {
    return { ...(await server.listen(address)), moved: [] };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    const found = await server.listen({ host: address.host, port: 0 });
    return { ...found, moved: [{ wanted: address.port, taken: found.port }] };
  }
}
