/// How the page of a report looks: light or dark as the reader has it, and one column on a phone.
enum PageStyle {
    static let text = """
        :root {
          --page: #f6f7f9; --card: #fff; --ink: #1b2430; --dim: #5c6877; --line: #dfe4ea; --good: #0b6b3a; --goodback: #dff5e7;
          --bad: #a11722; --badback: #fde3e4; --mark: #b0413e;
          --c0: #2563eb; --c1: #d97706; --c2: #0f9d58; --c3: #9333ea; --c4: #dc2626; --c5: #0891b2; --c6: #a16207; --c7: #db2777;
          --c8: #4d7c0f; --c9: #64748b;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #12161c; --card: #1b2129; --ink: #e6eaf0; --dim: #9aa7b6; --line: #303945; --good: #7ee2a8; --goodback: #12351f;
            --bad: #ff9a9f; --badback: #431a1d; --mark: #f08a87;
            --c0: #6ea8ff; --c1: #f5a94b; --c2: #4fd08c; --c3: #c18bff; --c4: #ff7b7b; --c5: #4cc9e6; --c6: #d9b45a; --c7: #ff7fbf;
            --c8: #a3d65c; --c9: #9fb0c6;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
        main { max-width: 1240px; margin: 0 auto; padding: 20px 16px 48px; }
        h1 { font-size: 24px; margin: 0 0 12px; } h2 { font-size: 18px; margin: 32px 0 8px; } h3 { font-size: 15px; margin: 16px 0 4px; }
        .verdict { margin: 0 0 16px; padding: 10px 14px; border-radius: 8px; font-weight: 600; }
        .kept { color: var(--good); background: var(--goodback); } .broken { color: var(--bad); background: var(--badback); }
        .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 0 0 16px; }
        .figures div, figure { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
        dt { color: var(--dim); font-size: 13px; } dd { margin: 0; font-size: 22px; font-weight: 600; font-variant-numeric: tabular-nums; }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 360px), 1fr)); gap: 12px; }
        figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; } figcaption small { color: var(--dim); font-weight: 400; }
        svg { display: block; width: 100%; height: auto; } svg text { fill: var(--dim); font-size: 11px; } svg .name { fill: var(--ink); font-size: 12px; }
        .grid { stroke: var(--line); fill: none; } .mark { stroke: var(--mark); stroke-dasharray: 2 3; fill: none; }
        .bar { stroke: var(--line); stroke-width: 6; fill: none; stroke-linecap: round; }
        polyline { fill: none; stroke-width: 1.6; stroke-linejoin: round; } polyline.dashed { stroke-dasharray: 4 3; }
        .legend { margin: 4px 0 0; display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 13px; color: var(--dim); }
        .legend i { display: inline-block; width: 14px; height: 0; border-top: 3px solid; margin-right: 5px; vertical-align: middle; }
        .legend i.dashed { border-top-style: dashed; }
        \(colours)
        .scroll { overflow-x: auto; width: fit-content; max-width: 100%; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
        table { border-collapse: collapse; min-width: min(100%, 300px); font-size: 14px; font-variant-numeric: tabular-nums; }
        th, td { padding: 5px 10px; text-align: right; white-space: nowrap; } th:first-child { text-align: left; }
        thead th { color: var(--dim); font-weight: 500; border-bottom: 1px solid var(--line); white-space: normal; vertical-align: bottom; }
        tbody th { font-weight: 500; white-space: normal; } tbody tr + tr > * { border-top: 1px solid var(--line); }
        .findings { padding-left: 24px; font-size: 13px; overflow-wrap: anywhere; }
        pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; margin: 0; white-space: pre-wrap;
          overflow-wrap: anywhere; font-size: 13px; }
        @media (max-width: 520px) {
          main { padding: 14px 10px 32px; } .figures { grid-template-columns: 1fr 1fr; gap: 8px; } dd { font-size: 18px; }
          table { font-size: 12px; } th, td { padding: 4px; } .stages tr > :nth-child(3) { display: none; }
        }
        """

    private static let colours = (0..<Chart.colours).map { number in
        "polyline.c\(number) { stroke: var(--c\(number)); } circle.c\(number) { fill: var(--c\(number)); } "
            + "i.c\(number) { border-color: var(--c\(number)); }"
    }.joined(separator: "\n")
}
