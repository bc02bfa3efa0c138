// Shows a dialog that holds the focus, returns it, and closes on Escape, and one that requests confirmation of a change.

import { type ComponentChildren, useEffect, useId, useRef, useSignal } from '../reactive.ts';
import { type ShownTrouble, TroubleNotice } from './shown.tsx';

export function Dialog({
  title,
  children,
  onClose,
}: {
  title: ComponentChildren;
  children: ComponentChildren;
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      // While the dialog is open, nothing outside it can take the focus.
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onClose={onClose}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-in">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** Requests confirmation before a change, and shows the result. */
interface ConfirmProps {
  title: ComponentChildren;
  children: ComponentChildren;
  /** The text of the button that makes the change. */
  verb: string;
  tone?: 'main' | 'grave';
  canDo?: boolean;
  /** @returns the problem, or null if the change was made. */
  act: () => Promise<ShownTrouble | null>;
  onClose: () => void;
}

export function Confirm({ title, children, verb, tone = 'main', canDo = true, act, onClose }: ConfirmProps) {
  const isBusy = useSignal(false);
  const problem = useSignal<ShownTrouble | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value || !canDo) return;
    isBusy.value = true;
    problem.value = await act();
    isBusy.value = false;
    if (problem.value === null) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {children}
        {problem.value && <TroubleNotice of={problem.value} />}
        <div class="buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={`button ${tone}`} disabled={isBusy.value || !canDo}>
            {isBusy.value ? 'One moment …' : verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
