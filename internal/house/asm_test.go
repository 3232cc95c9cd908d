package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestInstructions holds every kernel to the level in its name: a machine that runs the
// tests has all the features, so an instruction too many would fail only elsewhere.
func TestInstructions(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(testutil.Root(t), "internal/cpu/cpu.go"))
	if err != nil {
		t.Fatal(err)
	}
	levels := detected(string(table))
	functions := 0
	eachAsm(t, "_amd64.s", func(path string) {
		f, err := readAsm(path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		functions += len(f.funcs)
		for _, wrong := range f.violations(levels) {
			t.Errorf("%s: %s", path, wrong)
		}
	})
	if functions < 50 || len(levels["AVX512"]) < 8 {
		t.Errorf("%d functions, levels %v: the reader has missed some", functions, levels)
	}
}

// eachAsm calls f for the files of the module whose names end so.
func eachAsm(t *testing.T, suffix string, f func(path string)) {
	t.Helper()
	err := filepath.WalkDir(testutil.Root(t), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, suffix) {
			f(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// detected returns the features that the table of levels asks for before it offers a level, those of the levels
// before included. Functions for dot products of bytes may use VNNI too.
func detected(table string) map[string][]string {
	levels, features := make(map[string][]string), []string{"base"}
	for _, m := range regexp.MustCompile(`(?ms)^\t(AVX\d+): +(\{.*?\}),$`).FindAllStringSubmatch(table, -1) {
		for _, has := range regexp.MustCompile(`\bx86\.Has(\w+)`).FindAllStringSubmatch(m[2], -1) {
			features = append(features, has[1])
		}
		levels[m[1]] = slices.Clone(features)
	}
	levels["DotsAVX512"] = append(slices.Clone(features), "AVX512VNNI")
	levels["DotsAVX2"] = append(slices.Clone(levels["AVX2"]), "AVXVNNI")
	return levels
}

// violations lists the instructions that need more than their function's level has.
func (f *asmFile) violations(levels map[string][]string) (wrong []string) {
	for _, fn := range f.funcs {
		have := []string{"base"}
		for level, features := range levels {
			if strings.HasSuffix(fn.name, level) && len(features) > len(have) {
				have = features
			}
		}
		for _, code := range fn.code {
			need, err := needs(code)
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %v", fn.name, err))
			}
			for _, feature := range need {
				if !slices.Contains(have, feature) {
					wrong = append(wrong, fmt.Sprintf("%s: %q needs %s; its level has %v", fn.name, code, feature, have))
				}
			}
		}
	}
	return wrong
}

// instructions gives the feature of an instruction in VEX encoding, and in EVEX; - is none.
// It is the Intel manual's table for what the module uses. What is not here must be looked up.
var instructions = func() map[string][2]string {
	table := make(map[string][2]string)
	for _, row := range []string{
		"base base MOVQ MOVL MOVB MOVBLZX LEAQ ADDQ SUBQ INCQ DECQ DECL IMULQ NEGQ ANDQ ANDL XORQ XORL SHLQ SHLL SHRQ TESTQ TESTL CMPQ ORQ BSFQ",
		"base base JMP JEQ JNE JZ JNZ JL JLT JLE JG JGT JGE RET SFENCE PREFETCHT0 PCALIGN CPUID",
		"BMI2 BMI2 SHLXQ SHRXQ",
		"AVX AVX512F VADDPD VADDPS VADDSD VADDSS VSUBPD VSUBPS VSUBSD VSUBSS VMULPD VMULPS VMULSD VDIVPD VDIVPS VDIVSD",
		"AVX AVX512F VMAXPD VMAXPS VMAXSD VMAXSS VMINPD VMINPS VMINSD VSQRTPD VSQRTPS VCMPPD VCMPPS VCVTPS2PD VCVTPD2PS",
		"AVX AVX512F VMOVAPD VMOVAPS VMOVUPD VMOVUPS VMOVSD VMOVSS VMOVQ VMOVHPD VMOVNTPS VMOVNTPD VPERMILPD VPERMILPS",
		"AVX AVX512F VUNPCKHPD VUNPCKHPS VUNPCKLPD VUNPCKLPS",
		"AVX AVX512DQ VXORPD VXORPS VANDPD VANDPS VANDNPD VORPD",
		"AVX - VBLENDPD VBLENDVPD VBLENDVPS VHADDPD VHADDPS VCVTPD2PSY VEXTRACTF128 VINSERTF128 VPERM2F128 VMASKMOVPD VMASKMOVPS",
		"AVX - VZEROUPPER VMOVDQU VMOVDQA VMOVMSKPD VMOVMSKPS",
		"AVX2 AVX512F VBROADCASTSD VBROADCASTSS VPBROADCASTD VPBROADCASTQ",
		"AVX2 AVX512F VPADDQ VPADDD VPSLLQ VPSLLD VPSRLQ VPCMPEQQ VPGATHERDQ VPMOVSXDQ VPSHUFD",
		"AVX AVX512F VCVTDQ2PD VCVTDQ2PS VMOVD",
		"AVX2 AVX512F VPSUBD VPSRLD VPMULLD VPERMQ",
		"AVX2 AVX512BW VPMOVZXBW VPMADDWD VPACKUSDW VPACKUSWB VPSHUFB VPADDB VPSUBB VPBROADCASTB",
		"AVX2 AVX512F VPMOVZXBD VPMOVZXBQ",
		"AVX2 AVX512F VPMINSD VPUNPCKLDQ",
		"AVX2 - VPHADDD VPTEST VCVTPD2DQY VPCMPGTD",
		"AVX2 - VPXOR VPAND VPOR VPERMPS VGATHERDPD VEXTRACTI128 VINSERTI128 VBROADCASTI128",
		"FMA AVX512F VFMADD213PD VFMADD213PS VFMADD231PD VFMADD231PS VFMADD231SD VFMADD231SS",
		"FMA AVX512F VFNMADD231PD VFNMADD231PS VFNMADD231SD VFNMADD231SS",
		"- AVX512VNNI VPDPBUSD",
		"AVXVNNI - BYTE", // an instruction of AVX-VNNI that Go's assembler does not know
		"- AVX512F VPXORD VPXORQ VPTERNLOGQ VSCALEFPD VSCALEFPS VSHUFF64X2 VEXTRACTF64X4 VEXTRACTI64X4 VINSERTF64X4",
		"- AVX512F VMOVDQA64 VMOVDQU64 VMOVDQU32 VPMINSQ VPMAXSQ VCOMPRESSPD VPERMT2PD VPERMI2PD VPERMI2PS VPTESTMD VPTESTMQ VBROADCASTI32X4 VALIGNQ KMOVW KORTESTW",
		"- AVX512DQ KMOVB VPMOVQ2M VRANGEPD VRANGEPS VEXTRACTF32X8 VINSERTF32X8",
		"- AVX512BW KMOVD KMOVQ VMOVDQU8 VMOVDQU16",
	} {
		words := strings.Fields(row)
		for _, name := range words[2:] {
			table[name] = [2]string{words[0], words[1]}
		}
	}
	return table
}()

var (
	evexOperand  = regexp.MustCompile(`\b(Z\d+|K[0-7]|[XY](1[6-9]|2\d|3[01]))\b`)
	widest       = regexp.MustCompile(`\bZ\d+\b`)
	shorter      = regexp.MustCompile(`\b[XY]\d+\b`)
	general      = regexp.MustCompile(`^(AX|BX|CX|DX|SI|DI|R\d+)$`)
	scalarSuffix = regexp.MustCompile(`S[SD]$`)
)

// needs returns the features that an instruction issues.
func needs(code string) ([]string, error) {
	word, operands, _ := strings.Cut(strings.ReplaceAll(code, "\t", " "), " ")
	name, suffix, suffixed := strings.Cut(word, ".")
	feature, known := instructions[name]
	if !known {
		return nil, fmt.Errorf("%q: %s is in no row of the table; look its feature up", code, name)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(operands), ",")
	fromGeneral := strings.HasPrefix(name, "VPBROADCAST") && general.MatchString(first)
	if !suffixed && !evexOperand.MatchString(operands) && !fromGeneral && feature[0] != "-" {
		return feature[:1], nil
	}
	if feature[0] == "base" || feature[1] == "-" {
		return nil, fmt.Errorf("%q: %s%s has no such form", code, name, suffix)
	}
	need := []string{feature[1]}
	if !widest.MatchString(operands) && shorter.MatchString(operands) && !scalarSuffix.MatchString(name) {
		need = append(need, "AVX512VL")
	}
	return need, nil
}

// TestInstructionsFinds gives the reader kernels with an instruction too many.
func TestInstructionsFinds(t *testing.T) {
	levels := map[string][]string{
		"AVX2":   {"base", "AVX", "AVX2", "FMA"},
		"AVX512": {"base", "AVX", "AVX2", "FMA", "AVX512F", "AVX512DQ"},
	}
	for code, want := range map[string]string{
		"aAVX2/VADDPD Y0, Y1, Y2; VBROADCASTSD (SI), Y3; VFMADD231PD (AX), Y1, Y15; VZEROUPPER": "",
		"aAVX2/VADDPD Z0, Z1, Z2":                           "AVX512F",
		"aAVX2/VADDPD Y0, Y1, Y16":                          "AVX512VL",
		"aAVX2/VMOVUPD X31, (DI)":                           "AVX512VL",
		"aAVX2/VMOVUPD Y0, K1, (DI)":                        "AVX512VL",
		"aAVX2/VADDPD.BCST (SI), Y1, Y2":                    "AVX512VL",
		"aAVX2/VPTERNLOGQ $255, Y0, Y0, Y0":                 "AVX512F",
		"aAVX2/VXORPD Y16, Y16, Y16":                        "AVX512DQ",
		"aAVX2/VPBROADCASTQ AX, Y0":                         "AVX512F",
		"aAVX2/SHLXQ CX, AX, AX":                            "BMI2",
		"aAVX2/VPOPCNTQ Y0, Y1":                             "look its feature up",
		"aAVX2/VZEROUPPER; VHADDPD Z0, Z1, Z2":              "no such form",
		"aAVX512/VADDPD Z0, Z1, Z2; KMOVB AX, K1":           "",
		"aAVX512/VADDSD X0, X1, X16":                        "",
		"aAVX512/KMOVQ AX, K1":                              "AVX512BW",
		"aAVX512/VADDPD Y0, Y1, Y16":                        "AVX512VL",
		"a/VADDPD Y0, Y1, Y2":                               "AVX",
		"a/MOVQ AX, BX; ADDQ $8, (SI)(BX*8); RET":           "",
		"aAVX2/#define OP(r) \\\n\tVADDPD r, Y1, r\nOP(Z3)": "AVX512F",
		"aAVX2/#define OP \\\n\tVXORPD Y0, Y0, Y0 /* no semicolon */ \\\n\tVPTERNLOGQ $255, Y0, Y0, Y0\nOP": "AVX512F",
		"aAVX2/#define R Y9\nVADDPD R, R, R // no Z9 in here":                                               "",
	} {
		name, body, _ := strings.Cut(code, "/")
		f := &asmFile{macros: make(map[string]asmMacro)}
		if err := f.parse("TEXT ·"+name+"(SB), NOSPLIT, $0-0\nloop:\n"+body, "."); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.violations(levels), "\n"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s\ngives %q, want %q", code, got, want)
		}
	}
}

// TestTables looks at where a level chooses functions, in tables and switches: they are of this level or of one that it
// extends.
func TestTables(t *testing.T) {
	extends := make(map[string][]string)
	var names []string
	for _, l := range cpu.All()[1:] {
		name := strings.ToUpper(l.String())
		names = append(names, name)
		for at := l; at != cpu.Generic; at = at.Extends() {
			extends[name] = append(extends[name], strings.ToUpper(at.String()))
		}
	}
	found := 0
	eachFile(t, parser.SkipObjectResolution, func(file string, fset *token.FileSet, parsed *ast.File) {
		check := func(level ast.Expr, body ast.Node) {
			key, ok := level.(*ast.SelectorExpr)
			if !ok || fmt.Sprint(key.X) != "cpu" {
				return
			}
			ast.Inspect(body, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				for _, name := range names {
					if !ok || id == key.Sel || !strings.HasSuffix(id.Name, name) {
						continue
					}
					if found++; !slices.Contains(extends[key.Sel.Name], name) {
						t.Errorf("%s:%d: %s for the level %s", file, fset.Position(id.Pos()).Line, id.Name, key.Sel.Name)
					}
				}
				return true
			})
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				check(n.Key, n.Value)
			case *ast.CaseClause:
				for _, level := range n.List {
					check(level, &ast.BlockStmt{List: n.Body})
				}
			}
			return true
		})
	})
	if found < 100 {
		t.Errorf("found %d functions of levels", found)
	}
}

var wordMacro = regexp.MustCompile(`^#define (\w+)\((m, )?n, d\) WORD ` +
	`\$\(0x([0-9A-F]{8})( \| \(m\)<<16)? \| \(n\)<<5 \| \(d\)\)$`)

// TestWords decodes what the assembler for arm64 is given in numbers: only macros that are named
// after an instruction may do so.
func TestWords(t *testing.T) {
	check := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if wrong := wrongWord(line); wrong != "" {
				t.Errorf("%s:%d: %s", path, i+1, wrong)
			}
		}
	}
	eachAsm(t, "_arm64.s", check)
	eachAsm(t, "_arm64.h", check)
	for line, want := range map[string]string{
		"#define FADD2D(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))":      "",
		"#define FSUB2D(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))":      "is FADD2D",
		"#define FADD4S(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))":      "is FADD2D",
		"#define FADD2D(m, n, d) WORD $(0x4E60D401 | (m)<<16 | (n)<<5 | (d))":      "is no instruction",
		"#define FMLA2DLANE0(m, n, d) WORD $(0x4FC01800 | (m)<<16 | (n)<<5 | (d))": "is FMLA2DLANE1",
		"	WORD $0x4E60D400 // FADD2D":                                              "outside a macro",
	} {
		if got := wrongWord(line); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s gives %q, want %q", line, got, want)
		}
	}
}

func wrongWord(line string) string {
	if !strings.Contains(line, "WORD $") {
		return ""
	}
	m := wordMacro.FindStringSubmatch(line)
	if m == nil {
		return "WORD outside a macro of m, n and d"
	}
	code, err := strconv.ParseUint(m[3], 16, 32)
	if err != nil {
		return err.Error()
	}
	if name := decode(uint32(code)); name != m[1] {
		return fmt.Sprintf("%s is %s", m[3], name)
	}
	return ""
}

// decode names an instruction of "Advanced SIMD three same", floating point, one of the
// conversions and sums of "two-register miscellaneous" or "across lanes", one of "vector x indexed element", or a
// product of bytes, whose registers are 0: Arm Architecture Reference Manual, C4.1.96.
func decode(code uint32) string {
	switch code {
	case 0b0_0_0_01110_01_10000_10111_10_00000_00000: // 0 Q U 01110 size 10000 opcode 10 Rn Rd
		return "FCVTL2D"
	case 0b0_1_0_01110_01_10000_10111_10_00000_00000:
		return "FCVTLHIGH2D"
	case 0b0_1_1_01110_10_10000_11111_10_00000_00000:
		return "FSQRT4S"
	case 0b0_1_1_01110_11_10000_11111_10_00000_00000:
		return "FSQRT2D"
	case 0b0_1_1_01110_11_10000_01111_10_00000_00000:
		return "FNEG2D"
	case 0b0_1_1_01110_01_10000_00010_10_00000_00000:
		return "UADDLP"
	case 0b0_1_1_01110_00_11000_01111_10_00000_00000: // 0 Q U 01110 size 11000 opcode 10 Rn Rd
		return "FMAXV4S"
	case 0b0_1_1_01110_10_11000_01111_10_00000_00000:
		return "FMINV4S"
	case 0b0_1_1_01110_10_0_00000_1_0010_1_00000_00000: // 0 Q U 01110 size 0 Rm 1 opcode 1 Rn Rd
		return "UDOT"
	case 0b0_0_1_01110_00_1_00000_1100_00_00000_00000: // 0 Q U 01110 size 1 Rm opcode 00 Rn Rd
		return "UMULL"
	case 0b0_1_1_01110_00_1_00000_1100_00_00000_00000:
		return "UMULL2"
	case 0b0_1_0_01111_11_0_00000_0001_0_0_00000_00000: // 0 Q U 01111 size L M:Rm opcode H 0 Rn Rd
		return "FMLA2DLANE0"
	case 0b0_1_0_01111_11_0_00000_0001_1_0_00000_00000:
		return "FMLA2DLANE1"
	}
	const fixed = 0b0_1_0_01110_0_0_1_00000_00000_1_00000_00000 // 0 Q U 01110 a sz 1 Rm opcode 1 Rn Rd
	u, a, size, opcode := code>>29&1, code>>23&1, code>>22&1, code>>11&31
	if code&^(1<<29|1<<23|1<<22|31<<11) != fixed {
		return "no instruction of this class"
	}
	name := map[[3]uint32]string{
		{0, 0, 0b11010}: "FADD", {0, 1, 0b11010}: "FSUB", {1, 0, 0b11011}: "FMUL", {1, 0, 0b11111}: "FDIV",
		{0, 0, 0b11110}: "FMAX", {0, 1, 0b11110}: "FMIN", {1, 1, 0b11010}: "FABD", {1, 0, 0b11010}: "FADDP",
		{0, 0, 0b11001}: "FMLA", {0, 1, 0b11001}: "FMLS", {0, 0, 0b11000}: "FMAXNM", {0, 1, 0b11000}: "FMINNM",
		{0, 0, 0b11100}: "FCMEQ", {1, 0, 0b11100}: "FCMGE", {1, 1, 0b11100}: "FCMGT",
	}[[3]uint32{u, a, opcode}]
	if name == "" {
		return "no instruction of the table"
	}
	return name + [...]string{"4S", "2D"}[size]
}
