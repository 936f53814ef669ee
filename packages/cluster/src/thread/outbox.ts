/** Messages of one turn of the event loop cross together: a crossing costs more than what it carries. */
export class Outbox<Message> {
  readonly #post: (messages: readonly Message[]) => void;
  #waiting: Message[] = [];

  constructor(post: (messages: readonly Message[]) => void) {
    this.#post = post;
  }

  send(message: Message): void {
    this.#waiting.push(message);
    if (this.#waiting.length === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    this.#post(messages);
  }
}
