// Wraps the browser's dialog element: it holds the focus, returns it, and closes on Escape.

import { type ComponentChildren, useEffect, useId, useRef } from '../reactive.ts';

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
