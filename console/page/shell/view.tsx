// Renders one view: its heading with actions, and its content; the heading gets the focus when the user opens the view.

import { type ComponentChildren, useEffect, useRef } from '../reactive.ts';

export function View({
  title,
  about,
  aside,
  crumbs,
  children,
}: {
  title: ComponentChildren;
  about?: ComponentChildren;
  aside?: ComponentChildren;
  crumbs?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // Not for the first view, since the user has not moved, nor while the user types.
    if (cameFromElsewhere && !document.activeElement?.matches('input, textarea')) heading.current?.focus();
    cameFromElsewhere = true;
  }, []);
  return (
    <>
      <header class="view-head">
        <div>
          {crumbs && <div class="crumbs">{crumbs}</div>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <p>{about}</p>}
        </div>
        {aside && <div class="buttons">{aside}</div>}
      </header>
      {children}
    </>
  );
}

let cameFromElsewhere = false;
