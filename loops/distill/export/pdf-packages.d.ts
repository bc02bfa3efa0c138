// Declares the used parts of packages that have no types.

declare module 'pdfmake' {
  interface Printer {
    virtualfs: { writeFileSync(name: string, bytes: Uint8Array): void };
    setFonts(fonts: Readonly<Record<string, object>>): void;
    setUrlAccessPolicy(allows: (url: string) => boolean): void;
    setLocalAccessPolicy(allows: (path: string) => boolean): void;
    createPdf(document: object): { getBuffer(): Promise<Buffer> };
  }
  const printer: Printer;
  export default printer;
}

declare module 'pdfmake/build/vfs_fonts.js' {
  /** Roboto in four faces, in base64, by file name. */
  const fonts: Readonly<Record<string, string>>;
  export default fonts;
}

declare module 'fontkit' {
  export interface Font {
    postscriptName: string;
    hasGlyphForCodePoint(codePoint: number): boolean;
  }
  /** Returns a font, or a collection of fonts. Throws for any other content. */
  export function create(bytes: Uint8Array): Font | { fonts: Font[] };
}

declare module '*.ttf' {
  /** The font in base64, within the bundle. */
  const font: string;
  export default font;
}
