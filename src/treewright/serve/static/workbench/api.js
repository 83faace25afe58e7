// Requests to the server. The token of the address is exchanged for a cookie and removed from the address.

const RETRIES = [200, 500, 1000, 2000, 4000, 8000]; // milliseconds before an operation is sent again

export class Refused extends Error {
  constructor(status, { error, conflict = [] }) {
    super([error.message, error.remedy].filter(Boolean).join("; "));
    this.status = status;
    this.conflict = conflict; // arcs [head, word] that contradict each other
  }
}

let waiting = 0; // operations that no answer has confirmed
let showSaved = (_waiting, _seq, _problem) => {};

export function onSaved(call) {
  showSaved = call;
}

async function request(method, path, body, signal) {
  const answer = await fetch(`/api/v1/${path}`, {
    method,
    signal,
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const value = await answer.json();
  if (!answer.ok) throw new Refused(answer.status, value);
  return value;
}

export const get = (path, signal) => request("GET", path, undefined, signal);
export const post = (path, body = {}) => request("POST", path, body);

/** Exchange the token of the address, if there is one, for a cookie. */
export async function logIn() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  await post("login", { token });
  history.replaceState(null, "", location.pathname);
}

/**
 * Send a change. While the server cannot be reached it is sent again with the same op_id, which the server stores at
 * most once.
 */
export async function change(path, body) {
  const operation = { op_id: newId(), ...body };
  showSaved(++waiting, null, null);
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await post(path, operation);
        showSaved(--waiting, answer.seq, null);
        return answer;
      } catch (error) {
        const isPassing = !(error instanceof Refused) || [408, 503, 504].includes(error.status);
        if (!isPassing) throw error;
        showSaved(waiting, null, error instanceof Refused ? error.message : "the server does not answer; trying again");
        await new Promise((resume) => setTimeout(resume, RETRIES[Math.min(attempt, RETRIES.length - 1)]));
      }
    }
  } catch (error) {
    showSaved(--waiting, null, null);
    throw error;
  }
}

// crypto.randomUUID exists on secure origins only, which a name of this machine in a local network is not.
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
